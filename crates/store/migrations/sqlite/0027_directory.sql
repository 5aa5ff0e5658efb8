-- The directory: users and groups that an identity provider pushes. `name_key` is the name without case.
CREATE TABLE directory_user (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    external_id TEXT,
    active SMALLINT NOT NULL,
    profile TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    modified_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX directory_user_name ON directory_user (name_key);
CREATE UNIQUE INDEX directory_user_external_id ON directory_user (external_id);

CREATE TABLE directory_group (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    external_id TEXT,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    modified_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX directory_group_name ON directory_group (name_key);
CREATE UNIQUE INDEX directory_group_external_id ON directory_group (external_id);

CREATE TABLE directory_member (
    group_id TEXT NOT NULL REFERENCES directory_group (id),
    user_id TEXT NOT NULL REFERENCES directory_user (id),
    PRIMARY KEY (group_id, user_id)
);
CREATE INDEX directory_member_user ON directory_member (user_id);

-- Names that the directory gave and took away, with whose they were. Metalakes may still hold something for them.
CREATE TABLE directory_former_name (
    kind TEXT NOT NULL,
    name_key TEXT NOT NULL,
    name TEXT NOT NULL,
    id TEXT NOT NULL,
    external_id TEXT,
    ended_at BIGINT NOT NULL,
    PRIMARY KEY (kind, name_key)
);
