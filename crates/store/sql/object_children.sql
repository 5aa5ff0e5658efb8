SELECT object.id, object.name, owner_user.name, owner_group.name
FROM object
LEFT JOIN owner ON owner.object_id = object.id
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
WHERE object.parent_id = $1 AND object.space = $2 AND object.kind = $3 AND object.name > $4 AND object.deleted_at = 0
ORDER BY object.name
LIMIT $5;
