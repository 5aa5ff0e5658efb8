-- Policies attached directly to an object or to one of its ancestors, the object first.
WITH RECURSIVE up (id, parent_id, distance) AS (
    SELECT object.id, object.parent_id, 0
    FROM object
    WHERE object.id = $1 AND object.deleted_at = 0
    UNION ALL
    SELECT object.id, object.parent_id, up.distance + 1
    FROM up
    JOIN object ON object.id = up.parent_id AND object.id <> 0 AND object.deleted_at = 0
)
SELECT object.id, object.metalake_id, object.parent_id, object.kind, object.name, object.comment, object.properties,
    object.detail, object.creator, object.create_time, object.last_modifier, object.last_modified_time, owner_user.name, owner_group.name,
    policy.policy_type, policy.enabled, policy.revision, policy_revision.content_schema, policy_revision.content,
    up.id, up.distance
FROM up
JOIN policy_object ON policy_object.object_id = up.id
JOIN object ON object.id = policy_object.policy_id AND object.deleted_at = 0
JOIN policy ON policy.policy_id = object.id
JOIN policy_revision ON policy_revision.policy_id = policy.policy_id AND policy_revision.revision = policy.revision
LEFT JOIN owner ON owner.object_id = object.id
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
ORDER BY up.distance, object.name;
