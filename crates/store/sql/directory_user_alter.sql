UPDATE directory_user
SET name = $2, name_key = $3, external_id = $4, active = $5, profile = $6, version = version + 1, modified_at = $7
WHERE id = $1;
