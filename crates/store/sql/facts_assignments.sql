-- Tag assignments on an object, its ancestors and its columns.
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
SELECT sites.object_id, sites.distance, sites.field, tag_assignment.tag_id, object.name, tag_assignment.value
FROM sites
JOIN tag_assignment ON tag_assignment.object_id = sites.object_id
JOIN object ON object.id = tag_assignment.tag_id AND object.deleted_at = 0
ORDER BY sites.distance, sites.object_id, object.name, tag_assignment.value;
