SELECT id FROM role_object WHERE role_id = $1 AND object_id IS NULL AND kind = $2 AND full_name = $3;
