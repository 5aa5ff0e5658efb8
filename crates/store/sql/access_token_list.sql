SELECT name, user_name, prefix, metalakes, roles, read_only, created_at, expires_at FROM access_token WHERE user_name = $1 ORDER BY name;
