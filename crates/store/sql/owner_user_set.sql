INSERT INTO owner (object_id, user_id) VALUES ($1, $2)
ON CONFLICT (object_id) DO UPDATE SET user_id = excluded.user_id, group_id = NULL;
