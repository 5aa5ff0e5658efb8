UPDATE iceberg_table
SET metadata_location = $3, previous_metadata_location = metadata_location, version = version + 1, metadata_digest = $4
WHERE table_id = $1 AND metadata_location = $2
RETURNING table_id, metadata_location, previous_metadata_location, table_uuid, version, metadata_digest;
