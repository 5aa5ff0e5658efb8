INSERT INTO owner (object_id, group_id) VALUES ($1, $2)
ON CONFLICT (object_id) DO UPDATE SET user_id = NULL, group_id = excluded.group_id;
