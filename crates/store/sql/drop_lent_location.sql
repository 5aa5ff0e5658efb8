WITH RECURSIVE below (id) AS (
    SELECT CAST($1 AS BIGINT)
    UNION ALL
    SELECT child.id
    FROM below
    JOIN object AS child ON child.parent_id = below.id AND child.deleted_at = 0 AND child.id <> 0
)
UPDATE lent_location SET is_left = 1 WHERE location IN (
    SELECT location FROM table_location WHERE table_id IN (SELECT below.id FROM below)
    UNION ALL
    SELECT location FROM table_former_location WHERE table_id IN (SELECT below.id FROM below)
    UNION ALL
    SELECT location FROM fileset_location WHERE fileset_id IN (SELECT below.id FROM below)
);
