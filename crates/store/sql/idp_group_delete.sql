DELETE FROM idp_group WHERE name = $1;
