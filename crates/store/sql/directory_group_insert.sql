INSERT INTO directory_group (id, name, name_key, external_id, version, created_at, modified_at)
VALUES ($1, $2, $3, $4, 1, $5, $5);
