SELECT object.id, object.name
FROM role_user
JOIN object ON object.id = role_user.role_id AND object.deleted_at = 0
WHERE role_user.user_id = $1
ORDER BY object.name;
