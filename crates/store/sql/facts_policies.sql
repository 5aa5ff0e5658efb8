-- The policies on those tags, one row per tag, with their current content.
WITH RECURSIVE up (id, parent_id, distance) AS (
    SELECT object.id, object.parent_id, 0
    FROM object
    WHERE object.id = $1 AND object.deleted_at = 0
    UNION ALL
    SELECT object.id, object.parent_id, up.distance + 1
    FROM up
    JOIN object ON object.id = up.parent_id AND object.id <> 0 AND object.deleted_at = 0
),
sites (object_id, distance, field) AS (
    SELECT up.id, up.distance, CAST(NULL AS TEXT) FROM up
    UNION ALL
    SELECT object.id, 0, object.name
    FROM object
    WHERE object.parent_id = $1 AND object.space = 'COLUMN' AND object.deleted_at = 0
)
SELECT policy_tag.policy_id, policy_tag.tag_id, policy_tag.selector_type, policy_tag.selector_value, object.name,
    policy.policy_type, policy.enabled, policy.revision, policy_revision.content_schema, policy_revision.content
FROM policy_tag
JOIN object ON object.id = policy_tag.policy_id AND object.deleted_at = 0
JOIN policy ON policy.policy_id = object.id
JOIN policy_revision ON policy_revision.policy_id = policy.policy_id AND policy_revision.revision = policy.revision
WHERE policy_tag.tag_id IN (
    SELECT tag_assignment.tag_id
    FROM sites
    JOIN tag_assignment ON tag_assignment.object_id = sites.object_id
)
ORDER BY object.name, policy_tag.tag_id;
