SELECT name, id, external_id FROM directory_former_name WHERE kind = $1 AND name_key = $2;
