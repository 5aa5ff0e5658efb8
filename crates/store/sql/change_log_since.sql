SELECT revision, change, kind, object_id, object_name, actor, changed_at
FROM change_log
WHERE metalake_id = $1 AND area = $2 AND revision > $3
ORDER BY revision, id
LIMIT $4;
