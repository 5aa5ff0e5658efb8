-- Places for whose files credentials were given out, until the last of them ends. `is_left`: what lay there was dropped.
CREATE TABLE lent_location (
    location TEXT NOT NULL PRIMARY KEY,
    ends_at BIGINT NOT NULL,
    is_left SMALLINT NOT NULL
);
CREATE INDEX lent_location_by_end ON lent_location (ends_at);
