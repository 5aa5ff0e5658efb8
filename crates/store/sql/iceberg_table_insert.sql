INSERT INTO iceberg_table (
    table_id, metadata_location, previous_metadata_location, table_uuid, version, metadata_digest
) VALUES ($1, $2, NULL, $3, 1, $4);
