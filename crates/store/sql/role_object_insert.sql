INSERT INTO role_object (role_id, object_id, kind, full_name) VALUES ($1, $2, $3, $4) RETURNING id;
