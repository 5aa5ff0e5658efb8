WITH RECURSIVE below (id) AS (
    SELECT CAST($1 AS BIGINT)
    UNION ALL
    SELECT child.id
    FROM below
    JOIN object AS child ON child.parent_id = below.id AND child.deleted_at = 0 AND child.id <> 0
)
SELECT object.id, object.parent_id, object.detail, fileset_location.name, fileset_location.location, fileset_location.shown
FROM below
JOIN object ON object.id = below.id AND object.deleted_at = 0
JOIN fileset_location ON fileset_location.fileset_id = object.id
ORDER BY object.id, fileset_location.name;
