SELECT group_names, seen_at FROM seen_groups WHERE user_name = $1;
