DELETE FROM role_group WHERE role_id = $1 AND group_id = $2;
