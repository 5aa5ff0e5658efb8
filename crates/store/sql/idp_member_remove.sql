DELETE FROM idp_member WHERE group_name = $1 AND user_name = $2;
