UPDATE metalake_user
SET external_id = $2, enabled = $3, last_modifier = $4, last_modified_time = $5
WHERE id = $1;
