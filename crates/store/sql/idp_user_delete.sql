DELETE FROM idp_user WHERE name = $1;
