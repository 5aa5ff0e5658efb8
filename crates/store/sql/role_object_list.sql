SELECT role_object.id, role_object.object_id, role_object.kind, role_object.full_name,
    role_privilege.privilege, role_privilege.condition
FROM role_object
JOIN role_privilege ON role_privilege.role_object_id = role_object.id
WHERE role_object.role_id = $1
ORDER BY role_object.id, role_privilege.privilege;
