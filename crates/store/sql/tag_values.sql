SELECT object_id, value FROM tag_assignment WHERE tag_id = $1 ORDER BY object_id, value;
