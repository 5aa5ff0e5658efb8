-- Where files of dropped tables lie that were restricted when they were dropped. No table is made of them unasked.
CREATE TABLE ended_location (
    location TEXT NOT NULL PRIMARY KEY,
    dropped_at BIGINT NOT NULL
);
