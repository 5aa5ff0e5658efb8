SELECT place.table_id, place.location
FROM (
    SELECT table_location.table_id, table_location.location
    FROM table_location
    WHERE table_location.location >= $1 AND table_location.location < $2
    UNION ALL
    SELECT table_former_location.table_id, table_former_location.location
    FROM table_former_location
    WHERE table_former_location.location >= $1 AND table_former_location.location < $2
) AS place
JOIN object ON object.id = place.table_id AND object.deleted_at = 0
WHERE place.table_id <> $3
ORDER BY place.location
LIMIT 1;
