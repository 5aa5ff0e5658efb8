DELETE FROM idp_member WHERE user_name = $1;
