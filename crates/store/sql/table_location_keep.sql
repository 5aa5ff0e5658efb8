INSERT INTO table_former_location (table_id, location)
SELECT table_location.table_id, table_location.location
FROM table_location
WHERE table_location.table_id = $1 AND table_location.location <> $2
ON CONFLICT (table_id, location) DO NOTHING;
