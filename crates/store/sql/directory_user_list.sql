SELECT id, name, external_id, active, profile, version, created_at, modified_at FROM directory_user
ORDER BY created_at, id LIMIT $1 OFFSET $2;
