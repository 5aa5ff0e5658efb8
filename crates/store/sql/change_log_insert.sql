INSERT INTO change_log (metalake_id, area, revision, change, kind, object_id, object_name, actor, changed_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);
