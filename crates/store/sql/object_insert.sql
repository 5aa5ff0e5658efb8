INSERT INTO object (metalake_id, parent_id, kind, space, name, comment, properties, detail, creator, create_time)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
RETURNING id;
