DELETE FROM role_user WHERE role_id = $1 AND user_id = $2;
