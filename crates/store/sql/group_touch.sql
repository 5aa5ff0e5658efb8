UPDATE metalake_group
SET last_modifier = $2, last_modified_time = $3
WHERE id = $1;
