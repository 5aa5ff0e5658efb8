-- Counters per metalake and area (metalake 0 for the server), and what each count changed.
CREATE TABLE revision (
    metalake_id BIGINT NOT NULL,
    area TEXT NOT NULL,
    value BIGINT NOT NULL,
    PRIMARY KEY (metalake_id, area)
);

INSERT INTO revision (metalake_id, area, value) VALUES (0, 'server', 1);

CREATE TABLE change_log (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    metalake_id BIGINT NOT NULL,
    area TEXT NOT NULL,
    revision BIGINT NOT NULL,
    change TEXT NOT NULL,
    kind TEXT NOT NULL,
    object_id BIGINT NOT NULL,
    object_name TEXT NOT NULL,
    actor TEXT NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE INDEX change_log_revision ON change_log (metalake_id, area, revision);
