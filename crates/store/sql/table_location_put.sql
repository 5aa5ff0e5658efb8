INSERT INTO table_location (table_id, location) VALUES ($1, $2)
ON CONFLICT (table_id) DO UPDATE SET location = excluded.location;
