SELECT object.id, object.metalake_id, object.parent_id, object.kind, object.name, object.comment, object.properties,
    object.detail, object.creator, object.create_time, object.last_modifier, object.last_modified_time, owner_user.name, owner_group.name
FROM object
LEFT JOIN owner ON owner.object_id = object.id
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
WHERE object.parent_id = $1 AND object.space = $2 AND object.kind = $3 AND object.name = $4 AND object.deleted_at = 0;
