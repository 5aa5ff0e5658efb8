UPDATE directory_group
SET name = $2, name_key = $3, external_id = $4, version = version + 1, modified_at = $5
WHERE id = $1;
