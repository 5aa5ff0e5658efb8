DELETE FROM directory_member WHERE group_id = $1 AND user_id = $2;
