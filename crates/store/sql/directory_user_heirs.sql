SELECT COUNT(*) FROM metalake_user
JOIN object ON object.id = metalake_user.metalake_id AND object.deleted_at = 0
WHERE metalake_user.name IN ($1, $2) OR LOWER(metalake_user.name) = LOWER($2);
