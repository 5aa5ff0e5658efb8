-- The next objects of which the roles of a user say something, or which the user or one of the listed groups owns.
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
),
place (object_id) AS (
    SELECT role_object.object_id
    FROM held
    JOIN role_object ON role_object.role_id = held.role_id
    WHERE role_object.object_id > $4
    UNION
    SELECT owner.object_id
    FROM metalake_user
    JOIN owner ON owner.user_id = metalake_user.id
    WHERE metalake_user.metalake_id = $1 AND metalake_user.name = $2 AND owner.object_id > $4
    UNION
    SELECT owner.object_id
    FROM list
    JOIN metalake_group ON metalake_group.metalake_id = $1 AND metalake_group.name = list.name
    JOIN owner ON owner.group_id = metalake_group.id
    WHERE owner.object_id > $4
)
SELECT object.id
FROM place
JOIN object ON object.id = place.object_id AND object.deleted_at = 0
ORDER BY object.id
LIMIT $5;
