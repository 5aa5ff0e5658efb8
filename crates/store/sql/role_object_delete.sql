DELETE FROM role_object WHERE id = $1;
