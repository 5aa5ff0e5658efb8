SELECT id FROM role_object WHERE role_id = $1 AND object_id = $2;
