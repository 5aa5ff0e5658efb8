-- Where the current metadata of an Iceberg table is; changed only by compare-and-swap.
CREATE TABLE iceberg_table (
    table_id BIGINT NOT NULL PRIMARY KEY REFERENCES object (id),
    metadata_location TEXT NOT NULL,
    previous_metadata_location TEXT,
    table_uuid TEXT NOT NULL,
    version BIGINT NOT NULL
);
