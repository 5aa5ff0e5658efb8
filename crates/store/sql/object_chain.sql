-- Walks down from the root along the encoded path $1: per step twelve characters of name space, four digits of
-- length, the name. A row per step that exists.
WITH RECURSIVE chain (depth, id, next) AS (
    SELECT 0, CAST(0 AS BIGINT), 1
    UNION ALL
    SELECT chain.depth + 1, child.id, chain.next + 16 + CAST(substr($1, chain.next + 12, 4) AS INTEGER)
    FROM chain
    JOIN object AS child
        ON child.parent_id = chain.id
        AND child.deleted_at = 0
        AND child.space = trim(substr($1, chain.next, 12))
        AND child.name = substr($1, chain.next + 16, CAST(substr($1, chain.next + 12, 4) AS INTEGER))
    WHERE chain.next <= length($1)
)
SELECT object.id, object.metalake_id, object.parent_id, object.kind, object.name, object.comment, object.properties,
    object.detail, object.creator, object.create_time, object.last_modifier, object.last_modified_time, owner_user.name, owner_group.name
FROM chain
JOIN object ON object.id = chain.id
LEFT JOIN owner ON owner.object_id = object.id
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
WHERE chain.depth > 0
ORDER BY chain.depth;
