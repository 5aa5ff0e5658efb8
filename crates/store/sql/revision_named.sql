SELECT object.id, revision.area, revision.value
FROM object
JOIN revision ON revision.metalake_id IN (object.id, 0)
WHERE object.parent_id = 0 AND object.space = 'METALAKE' AND object.name = $1 AND object.deleted_at = 0;
