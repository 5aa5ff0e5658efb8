SELECT iceberg_table.table_id, iceberg_table.metadata_location
FROM iceberg_table
JOIN object ON object.id = iceberg_table.table_id AND object.deleted_at = 0
WHERE object.metalake_id = $1
ORDER BY iceberg_table.table_id;
