-- Where a table lay before it moved: its older files are still there, so the place stays the table's while it lives.
CREATE TABLE table_former_location (
    table_id BIGINT NOT NULL REFERENCES object (id),
    location TEXT NOT NULL,
    PRIMARY KEY (table_id, location)
);

CREATE INDEX table_former_location_by_location ON table_former_location (location);
