-- Which of the listed groups the metalake knows.
WITH RECURSIVE list (next, name) AS (
    SELECT 1, ''
    UNION ALL
    SELECT next + 4 + CAST(substr($2, next, 4) AS INTEGER),
        substr($2, next + 4, CAST(substr($2, next, 4) AS INTEGER))
    FROM list
    WHERE next <= length($2)
)
SELECT metalake_group.id, metalake_group.name
FROM list
JOIN metalake_group ON metalake_group.metalake_id = $1 AND metalake_group.name = list.name
ORDER BY metalake_group.name;
