INSERT INTO access_token (hash, name, user_name, prefix, metalakes, roles, read_only, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);
