-- The roles that a user holds, directly or by one of the listed groups.
WITH RECURSIVE list (next, name) AS (
    SELECT 1, ''
    UNION ALL
    SELECT next + 4 + CAST(substr($3, next, 4) AS INTEGER),
        substr($3, next + 4, CAST(substr($3, next, 4) AS INTEGER))
    FROM list
    WHERE next <= length($3)
),
held (role_id) AS (
    SELECT role_user.role_id
    FROM metalake_user
    JOIN role_user ON role_user.user_id = metalake_user.id
    WHERE metalake_user.metalake_id = $1 AND metalake_user.name = $2
    UNION
    SELECT role_group.role_id
    FROM list
    JOIN metalake_group ON metalake_group.metalake_id = $1 AND metalake_group.name = list.name
    JOIN role_group ON role_group.group_id = metalake_group.id
)
SELECT object.id, object.name
FROM held
JOIN object ON object.id = held.role_id AND object.deleted_at = 0
ORDER BY object.name;
