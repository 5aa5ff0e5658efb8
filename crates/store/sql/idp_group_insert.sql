INSERT INTO idp_group (name, comment) VALUES ($1, $2);
