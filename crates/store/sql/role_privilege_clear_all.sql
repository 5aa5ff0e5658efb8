DELETE FROM role_privilege WHERE role_object_id IN (SELECT role_object.id FROM role_object WHERE role_object.role_id = $1);
