-- Statistics that users keep of a table as a whole (partition_name is empty) and of its partitions. Values are JSON.
CREATE TABLE statistic (
    object_id BIGINT NOT NULL REFERENCES object (id),
    partition_name TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    creator TEXT NOT NULL,
    create_time BIGINT NOT NULL,
    last_modifier TEXT NOT NULL,
    last_modified_time BIGINT NOT NULL,
    PRIMARY KEY (object_id, partition_name, name)
);
