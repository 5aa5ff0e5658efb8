INSERT INTO directory_user (id, name, name_key, external_id, active, profile, version, created_at, modified_at)
VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7);
