DELETE FROM tag_assignment WHERE tag_id = $1 AND object_id = $2;
