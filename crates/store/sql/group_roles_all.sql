SELECT role_group.group_id, object.name
FROM metalake_group
JOIN role_group ON role_group.group_id = metalake_group.id
JOIN object ON object.id = role_group.role_id AND object.deleted_at = 0
WHERE metalake_group.metalake_id = $1
ORDER BY object.name;
