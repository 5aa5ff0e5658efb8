DELETE FROM statistic WHERE object_id = $1 AND partition_name = $2 AND name = $3;
