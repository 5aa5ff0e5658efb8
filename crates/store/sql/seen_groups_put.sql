INSERT INTO seen_groups (user_name, group_names, seen_at) VALUES ($1, $2, $3)
ON CONFLICT (user_name) DO UPDATE
SET group_names = excluded.group_names, seen_at = excluded.seen_at
WHERE seen_groups.seen_at <= excluded.seen_at;
