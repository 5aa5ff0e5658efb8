DELETE FROM access_token WHERE user_name = $1 AND expires_at <= $2
