-- Assignments on an object and its ancestors, the object first.
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
    up.id, up.distance, tag_assignment.value
FROM up
JOIN tag_assignment ON tag_assignment.object_id = up.id
JOIN object ON object.id = tag_assignment.tag_id AND object.deleted_at = 0
LEFT JOIN owner ON owner.object_id = object.id
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
ORDER BY up.distance, object.name, tag_assignment.value;
