DELETE FROM role_group WHERE group_id = $1;
