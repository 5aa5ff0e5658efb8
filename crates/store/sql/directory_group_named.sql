SELECT id, name, external_id, version, created_at, modified_at FROM directory_group WHERE name_key = $1;
