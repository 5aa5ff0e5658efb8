SELECT user_name FROM idp_member WHERE group_name = $1 ORDER BY user_name;
