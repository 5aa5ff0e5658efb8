INSERT INTO metalake_user (metalake_id, name, external_id, enabled, creator, create_time)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING id;
