-- Users and groups of a metalake, and who owns an object.
CREATE TABLE metalake_user (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    metalake_id BIGINT NOT NULL REFERENCES object (id),
    name TEXT NOT NULL,
    external_id TEXT,
    enabled SMALLINT NOT NULL DEFAULT 1,
    creator TEXT NOT NULL,
    create_time BIGINT NOT NULL,
    last_modifier TEXT,
    last_modified_time BIGINT
);

CREATE UNIQUE INDEX metalake_user_name ON metalake_user (metalake_id, name);

CREATE TABLE metalake_group (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    metalake_id BIGINT NOT NULL REFERENCES object (id),
    name TEXT NOT NULL,
    external_id TEXT,
    creator TEXT NOT NULL,
    create_time BIGINT NOT NULL,
    last_modifier TEXT,
    last_modified_time BIGINT
);

CREATE UNIQUE INDEX metalake_group_name ON metalake_group (metalake_id, name);

-- At most one owner, a user or a group.
CREATE TABLE owner (
    object_id BIGINT NOT NULL PRIMARY KEY REFERENCES object (id),
    user_id BIGINT REFERENCES metalake_user (id),
    group_id BIGINT REFERENCES metalake_group (id),
    CHECK ((user_id IS NULL) <> (group_id IS NULL))
);

CREATE INDEX owner_user ON owner (user_id);
CREATE INDEX owner_group ON owner (group_id);
