INSERT INTO metalake_group (metalake_id, name, external_id, creator, create_time)
VALUES ($1, $2, $3, $4, $5)
RETURNING id;
