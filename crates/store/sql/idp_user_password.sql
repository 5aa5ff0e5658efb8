UPDATE idp_user SET password_hash = $2 WHERE name = $1;
