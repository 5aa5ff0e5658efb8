INSERT INTO fileset_location (fileset_id, name, location, shown) VALUES ($1, $2, $3, $4);
