SELECT object.id, object.metalake_id, object.parent_id, object.kind, object.name, object.comment, object.properties,
    object.detail, object.creator, object.create_time, object.last_modifier, object.last_modified_time, owner_user.name, owner_group.name,
    policy.policy_type, policy.enabled, policy.revision, policy_revision.content_schema, policy_revision.content
FROM object
JOIN policy ON policy.policy_id = object.id
JOIN policy_revision ON policy_revision.policy_id = policy.policy_id AND policy_revision.revision = policy.revision
LEFT JOIN owner ON owner.object_id = object.id
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
WHERE object.parent_id = $1 AND object.space = 'POLICY' AND object.deleted_at = 0
ORDER BY object.name;
