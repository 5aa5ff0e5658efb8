WITH RECURSIVE below (id) AS (
    SELECT CAST($1 AS BIGINT)
    UNION ALL
    SELECT child.id
    FROM below
    JOIN object AS child ON child.parent_id = below.id AND child.deleted_at = 0 AND child.id <> 0
)
DELETE FROM role_privilege
WHERE role_object_id IN (
    SELECT role_object.id
    FROM below
    JOIN role_object ON role_object.role_id = below.id
);
