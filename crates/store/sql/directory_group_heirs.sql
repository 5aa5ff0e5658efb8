SELECT COUNT(*) FROM metalake_group
JOIN object ON object.id = metalake_group.metalake_id AND object.deleted_at = 0
WHERE metalake_group.name IN ($1, $2) OR LOWER(metalake_group.name) = LOWER($2);
