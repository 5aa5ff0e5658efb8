SELECT id, name, external_id, version, created_at, modified_at FROM directory_group
ORDER BY created_at, id LIMIT $1 OFFSET $2;
