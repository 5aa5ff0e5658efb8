SELECT table_location.table_id, table_location.location
FROM table_location
JOIN object ON object.id = table_location.table_id AND object.deleted_at = 0
WHERE table_location.location = $1 AND table_location.table_id <> $2
ORDER BY table_location.table_id
LIMIT 1;
