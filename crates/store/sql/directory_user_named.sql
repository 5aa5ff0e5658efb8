SELECT id, name, external_id, active, profile, version, created_at, modified_at FROM directory_user WHERE name_key = $1;
