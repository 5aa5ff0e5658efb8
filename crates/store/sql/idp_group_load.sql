SELECT name, comment FROM idp_group WHERE name = $1;
