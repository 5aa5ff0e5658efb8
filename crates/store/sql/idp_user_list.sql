SELECT name FROM idp_user ORDER BY name;
