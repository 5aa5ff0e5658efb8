DELETE FROM role_user WHERE user_id = $1;
