DELETE FROM role_privilege WHERE role_object_id = $1;
