DELETE FROM access_token WHERE user_name = $1;
