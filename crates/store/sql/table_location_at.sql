SELECT place.table_id, place.location
FROM (
    SELECT table_location.table_id, table_location.location FROM table_location WHERE table_location.location = $1
    UNION ALL
    SELECT table_former_location.table_id, table_former_location.location
    FROM table_former_location
    WHERE table_former_location.location = $1
) AS place
JOIN object ON object.id = place.table_id AND object.deleted_at = 0
WHERE place.table_id <> $2
ORDER BY place.table_id
LIMIT 1;
