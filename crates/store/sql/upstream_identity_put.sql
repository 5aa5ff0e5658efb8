INSERT INTO upstream_identity (object_id, catalog_id, uuid)
VALUES ($1, $2, $3);
