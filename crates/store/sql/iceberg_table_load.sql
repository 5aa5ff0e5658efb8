SELECT iceberg_table.table_id, iceberg_table.metadata_location, iceberg_table.previous_metadata_location,
    iceberg_table.table_uuid, iceberg_table.version, iceberg_table.metadata_digest
FROM iceberg_table
WHERE iceberg_table.table_id = $1;
