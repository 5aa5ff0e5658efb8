-- $3 and $5: whether the bound itself counts.
SELECT partition_name, name, value, creator, create_time, last_modifier, last_modified_time
FROM statistic
WHERE object_id = $1 AND partition_name <> ''
    AND (CAST($2 AS TEXT) IS NULL OR partition_name > $2 OR (partition_name = $2 AND $3 = 1))
    AND (CAST($4 AS TEXT) IS NULL OR partition_name < $4 OR (partition_name = $4 AND $5 = 1))
ORDER BY partition_name, name;
