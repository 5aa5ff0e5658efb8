UPDATE iceberg_table
SET metadata_digest = $3
WHERE table_id = $1 AND metadata_location = $2 AND metadata_digest IS NULL AND table_uuid = $4
    AND EXISTS (
        SELECT 1 FROM table_location WHERE table_location.table_id = $1 AND table_location.location = $5
    )
RETURNING table_id, metadata_location, previous_metadata_location, table_uuid, version, metadata_digest;
