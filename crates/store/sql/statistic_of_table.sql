SELECT partition_name, name, value, creator, create_time, last_modifier, last_modified_time
FROM statistic
WHERE object_id = $1 AND partition_name = ''
ORDER BY name;
