INSERT INTO idp_user (name, password_hash) VALUES ($1, $2);
