DELETE FROM role_object WHERE role_id = $1;
