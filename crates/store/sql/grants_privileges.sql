-- What these roles grant on objects that exist.
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
SELECT role_object.role_id, role_object.object_id, role_privilege.privilege, role_privilege.condition
FROM held
JOIN role_object ON role_object.role_id = held.role_id AND role_object.object_id IS NOT NULL
JOIN role_privilege ON role_privilege.role_object_id = role_object.id;
