-- Where the files of filesets lie, by the name of the location: canonical, so that overlaps are found, and as answers
-- show it.
CREATE TABLE fileset_location (
    fileset_id BIGINT NOT NULL REFERENCES object (id),
    name TEXT COLLATE "C" NOT NULL,
    location TEXT COLLATE "C" NOT NULL,
    shown TEXT NOT NULL,
    PRIMARY KEY (fileset_id, name)
);

CREATE INDEX fileset_location_by_location ON fileset_location (location);
