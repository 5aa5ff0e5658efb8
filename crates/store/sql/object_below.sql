WITH RECURSIVE below (id) AS (
    SELECT CAST($1 AS BIGINT)
    UNION ALL
    SELECT child.id
    FROM below
    JOIN object AS child ON child.parent_id = below.id AND child.deleted_at = 0 AND child.id <> 0
)
SELECT object.id, object.parent_id, object.kind, object.name, iceberg_table.metadata_location,
    iceberg_table.metadata_digest
FROM below
JOIN object ON object.id = below.id
LEFT JOIN iceberg_table ON iceberg_table.table_id = object.id
ORDER BY object.id;
