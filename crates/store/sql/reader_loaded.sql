UPDATE reader SET last_load_at = $2 WHERE name = $1 AND (last_load_at IS NULL OR last_load_at < $2);
