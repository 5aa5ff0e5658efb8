SELECT group_name FROM idp_member WHERE user_name = $1 ORDER BY group_name;
