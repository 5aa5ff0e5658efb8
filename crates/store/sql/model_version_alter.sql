UPDATE model_version
SET comment = $3, uris = $4, properties = $5, last_modifier = $6, last_modified_time = $7
WHERE model_id = $1 AND version = $2;
