SELECT id, metalake_id, name, external_id, creator, create_time, last_modifier, last_modified_time
FROM metalake_group
WHERE metalake_id = $1
ORDER BY name;
