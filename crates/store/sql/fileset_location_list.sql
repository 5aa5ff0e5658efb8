SELECT fileset_location.name, fileset_location.location, fileset_location.shown
FROM fileset_location
WHERE fileset_location.fileset_id = $1
ORDER BY fileset_location.name;
