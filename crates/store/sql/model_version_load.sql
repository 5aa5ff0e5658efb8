SELECT version, comment, uris, properties, creator, create_time, last_modifier, last_modified_time
FROM model_version
WHERE model_id = $1 AND version = $2;
