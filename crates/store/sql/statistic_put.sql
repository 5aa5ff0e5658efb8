INSERT INTO statistic (object_id, partition_name, name, value, creator, create_time, last_modifier, last_modified_time)
VALUES ($1, $2, $3, $4, $5, $6, $5, $6)
ON CONFLICT (object_id, partition_name, name) DO UPDATE SET value = excluded.value,
    last_modifier = excluded.last_modifier, last_modified_time = excluded.last_modified_time;
