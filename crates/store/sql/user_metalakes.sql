SELECT object.id
FROM metalake_user
JOIN object ON object.id = metalake_user.metalake_id AND object.deleted_at = 0
WHERE metalake_user.name = $1 AND metalake_user.enabled = 1
ORDER BY object.id;
