WITH RECURSIVE up (origin, id, parent_id, distance) AS (
    SELECT object.id, object.id, object.parent_id, 0
    FROM policy_object
    JOIN object ON object.id = policy_object.object_id AND object.deleted_at = 0
    WHERE policy_object.policy_id = $1
    UNION ALL
    SELECT up.origin, object.id, object.parent_id, up.distance + 1
    FROM up
    JOIN object ON object.id = up.parent_id AND object.id <> 0
)
SELECT up.origin, object.id, object.kind, object.name
FROM up
JOIN object ON object.id = up.id
ORDER BY up.origin, up.distance DESC;
