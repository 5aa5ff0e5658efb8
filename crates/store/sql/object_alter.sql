UPDATE object
SET comment = $2, properties = $3, detail = $4, last_modifier = $5, last_modified_time = $6
WHERE id = $1 AND deleted_at = 0;
