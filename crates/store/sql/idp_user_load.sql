SELECT name, password_hash FROM idp_user WHERE name = $1;
