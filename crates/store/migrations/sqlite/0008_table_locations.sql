-- The base location of every Iceberg table, canonical, so that overlaps are found without reading metadata.
CREATE TABLE table_location (
    table_id BIGINT NOT NULL PRIMARY KEY REFERENCES object (id),
    location TEXT NOT NULL
);

CREATE INDEX table_location_by_location ON table_location (location);

-- Held by whoever claims a location, so that two claims never look past each other.
CREATE TABLE table_location_lock (
    id BIGINT NOT NULL PRIMARY KEY,
    claims BIGINT NOT NULL
);

INSERT INTO table_location_lock (id, claims) VALUES (0, 0);
