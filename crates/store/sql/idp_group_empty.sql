DELETE FROM idp_member WHERE group_name = $1;
