INSERT INTO role_privilege (role_object_id, privilege, condition) VALUES ($1, $2, $3);
