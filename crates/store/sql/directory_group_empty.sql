DELETE FROM directory_member WHERE group_id = $1;
