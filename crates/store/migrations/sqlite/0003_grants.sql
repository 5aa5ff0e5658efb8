-- Roles are objects; these rows say who holds them and what they grant.
CREATE TABLE role_user (
    role_id BIGINT NOT NULL REFERENCES object (id),
    user_id BIGINT NOT NULL REFERENCES metalake_user (id),
    PRIMARY KEY (role_id, user_id)
);

CREATE INDEX role_user_user ON role_user (user_id);

CREATE TABLE role_group (
    role_id BIGINT NOT NULL REFERENCES object (id),
    group_id BIGINT NOT NULL REFERENCES metalake_group (id),
    PRIMARY KEY (role_id, group_id)
);

CREATE INDEX role_group_group ON role_group (group_id);

-- One securable object of a role. object_id is NULL when the name meant nothing at the time of the grant:
-- such a row is shown and grants nothing, for ever.
CREATE TABLE role_object (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    role_id BIGINT NOT NULL REFERENCES object (id),
    object_id BIGINT REFERENCES object (id),
    kind TEXT NOT NULL,
    full_name TEXT NOT NULL
);

CREATE UNIQUE INDEX role_object_bound ON role_object (role_id, object_id) WHERE object_id IS NOT NULL;
CREATE UNIQUE INDEX role_object_unbound ON role_object (role_id, kind, full_name) WHERE object_id IS NULL;
CREATE INDEX role_object_object ON role_object (object_id);

CREATE TABLE role_privilege (
    role_object_id BIGINT NOT NULL REFERENCES role_object (id),
    privilege TEXT NOT NULL,
    condition TEXT NOT NULL,
    PRIMARY KEY (role_object_id, privilege)
);
