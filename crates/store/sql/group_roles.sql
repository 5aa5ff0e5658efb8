SELECT object.id, object.name
FROM role_group
JOIN object ON object.id = role_group.role_id AND object.deleted_at = 0
WHERE role_group.group_id = $1
ORDER BY object.name;
