INSERT INTO model_version (model_id, version, comment, uris, properties, creator, create_time)
VALUES ($1, $2, $3, $4, $5, $6, $7);
