WITH RECURSIVE below (id) AS (
    SELECT CAST($1 AS BIGINT)
    UNION ALL
    SELECT child.id
    FROM below
    JOIN object AS child ON child.parent_id = below.id AND child.deleted_at = 0 AND child.id <> 0
)
UPDATE object
SET deleted_at = $2, last_modifier = $3, last_modified_time = $2
WHERE id IN (SELECT below.id FROM below) AND deleted_at = 0;
