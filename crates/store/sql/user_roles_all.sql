SELECT role_user.user_id, object.name
FROM metalake_user
JOIN role_user ON role_user.user_id = metalake_user.id
JOIN object ON object.id = role_user.role_id AND object.deleted_at = 0
WHERE metalake_user.metalake_id = $1
ORDER BY object.name;
