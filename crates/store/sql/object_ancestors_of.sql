-- The way from the metalake down to each of the listed objects.
WITH RECURSIVE wanted (next, id) AS (
    SELECT 1, ''
    UNION ALL
    SELECT next + 4 + CAST(substr($1, next, 4) AS INTEGER),
        substr($1, next + 4, CAST(substr($1, next, 4) AS INTEGER))
    FROM wanted
    WHERE next <= length($1)
),
up (origin, id, parent_id, distance) AS (
    SELECT object.id, object.id, object.parent_id, 0
    FROM wanted
    JOIN object ON object.id = CAST(CASE wanted.id WHEN '' THEN '0' ELSE wanted.id END AS BIGINT)
    WHERE object.id <> 0 AND object.deleted_at = 0
    UNION ALL
    SELECT up.origin, object.id, object.parent_id, up.distance + 1
    FROM up
    JOIN object ON object.id = up.parent_id AND object.id <> 0 AND object.deleted_at = 0
)
SELECT object.id, object.metalake_id, object.parent_id, object.kind, object.name, object.comment, object.properties,
    object.detail, object.creator, object.create_time, object.last_modifier, object.last_modified_time, owner_user.name, owner_group.name,
    up.origin
FROM up
JOIN object ON object.id = up.id
LEFT JOIN owner ON owner.object_id = object.id
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
ORDER BY up.origin, up.distance DESC;
