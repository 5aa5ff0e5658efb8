WITH RECURSIVE below (id) AS (
    SELECT CAST($1 AS BIGINT)
    UNION ALL
    SELECT child.id
    FROM below
    JOIN object AS child ON child.parent_id = below.id AND child.deleted_at = 0 AND child.id <> 0
)
SELECT object.properties
FROM below
JOIN object ON object.id = below.id AND object.deleted_at = 0
WHERE object.kind IN ('CATALOG', 'FILESET') AND object.properties LIKE '%urn:gravitino-secret:%'
ORDER BY object.id;
