-- What the roles of a user say of the listed objects, and how each is held: directly, or by one of the listed groups.
WITH RECURSIVE list (next, name) AS (
    SELECT 1, ''
    UNION ALL
    SELECT next + 4 + CAST(substr($3, next, 4) AS INTEGER),
        substr($3, next + 4, CAST(substr($3, next, 4) AS INTEGER))
    FROM list
    WHERE next <= length($3)
),
wanted (next, id) AS (
    SELECT 1, ''
    UNION ALL
    SELECT next + 4 + CAST(substr($4, next, 4) AS INTEGER),
        substr($4, next + 4, CAST(substr($4, next, 4) AS INTEGER))
    FROM wanted
    WHERE next <= length($4)
),
held (role_id, through) AS (
    SELECT role_user.role_id, CAST(NULL AS TEXT)
    FROM metalake_user
    JOIN role_user ON role_user.user_id = metalake_user.id
    WHERE metalake_user.metalake_id = $1 AND metalake_user.name = $2
    UNION
    SELECT role_group.role_id, metalake_group.name
    FROM list
    JOIN metalake_group ON metalake_group.metalake_id = $1 AND metalake_group.name = list.name
    JOIN role_group ON role_group.group_id = metalake_group.id
)
SELECT role_object.object_id, object.name, held.through, role_privilege.privilege, role_privilege.condition
FROM wanted
JOIN role_object ON role_object.object_id = CAST(CASE wanted.id WHEN '' THEN '0' ELSE wanted.id END AS BIGINT)
JOIN held ON held.role_id = role_object.role_id
JOIN object ON object.id = role_object.role_id AND object.deleted_at = 0
JOIN role_privilege ON role_privilege.role_object_id = role_object.id
WHERE wanted.id <> '';
