DELETE FROM directory_member WHERE user_id = $1;
