INSERT INTO directory_former_name (kind, name_key, name, id, external_id, ended_at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (kind, name_key) DO UPDATE
SET name = excluded.name, id = excluded.id, external_id = excluded.external_id, ended_at = excluded.ended_at;
