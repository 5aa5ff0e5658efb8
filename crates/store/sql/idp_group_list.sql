SELECT name FROM idp_group ORDER BY name;
