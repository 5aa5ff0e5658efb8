DELETE FROM owner WHERE user_id = $1;
