-- The tree: every metalake, catalog, schema, table, column, role, tag and policy is one row.
-- `space` is the kind, except that tables and views of one schema share the space TABLE.
-- Rows are ended by `deleted_at` (epoch milliseconds), never removed, so that an id is never used twice.
CREATE TABLE object (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    metalake_id BIGINT NOT NULL,
    parent_id BIGINT NOT NULL REFERENCES object (id),
    kind TEXT NOT NULL,
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    comment TEXT,
    properties TEXT NOT NULL,
    detail TEXT NOT NULL,
    creator TEXT NOT NULL,
    create_time BIGINT NOT NULL,
    last_modifier TEXT,
    last_modified_time BIGINT,
    deleted_at BIGINT NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX object_name ON object (parent_id, space, name) WHERE deleted_at = 0;
CREATE INDEX object_metalake ON object (metalake_id, kind);

-- The root above all metalakes, so that parent_id is never NULL (NULLs escape unique indexes).
INSERT INTO object (id, metalake_id, parent_id, kind, space, name, properties, detail, creator, create_time)
VALUES (0, 0, 0, 'ROOT', 'ROOT', '', '{}', '{}', '', 0);
