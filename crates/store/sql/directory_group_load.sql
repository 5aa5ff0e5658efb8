SELECT id, name, external_id, version, created_at, modified_at FROM directory_group WHERE id = $1;
