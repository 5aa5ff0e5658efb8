SELECT fileset_location.fileset_id
FROM fileset_location
JOIN object ON object.id = fileset_location.fileset_id AND object.deleted_at = 0
WHERE fileset_location.location = $1 AND fileset_location.fileset_id <> $2
ORDER BY fileset_location.fileset_id;
