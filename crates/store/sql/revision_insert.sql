INSERT INTO revision (metalake_id, area, value) VALUES ($1, $2, 1);
