UPDATE object
SET parent_id = $2, name = $3, last_modifier = $4, last_modified_time = $5
WHERE id = $1 AND deleted_at = 0;
