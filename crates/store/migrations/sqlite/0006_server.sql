-- What belongs to the server and to no metalake.
CREATE TABLE idp_user (
    name TEXT NOT NULL PRIMARY KEY,
    password_hash TEXT NOT NULL
);

CREATE TABLE idp_group (
    name TEXT NOT NULL PRIMARY KEY,
    comment TEXT
);

CREATE TABLE idp_member (
    group_name TEXT NOT NULL REFERENCES idp_group (name),
    user_name TEXT NOT NULL REFERENCES idp_user (name),
    PRIMARY KEY (group_name, user_name)
);

CREATE INDEX idp_member_user ON idp_member (user_name);

-- Readers that the operator trusts. A new certificate is a new revision.
CREATE TABLE reader (
    name TEXT NOT NULL PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    revision BIGINT NOT NULL,
    enabled SMALLINT NOT NULL,
    creator TEXT NOT NULL,
    create_time BIGINT NOT NULL
);

CREATE UNIQUE INDEX reader_fingerprint ON reader (fingerprint);

-- The authority that signs certificates; one row, shared by all nodes.
CREATE TABLE authority (
    id BIGINT NOT NULL PRIMARY KEY,
    certificate_pem TEXT NOT NULL,
    key_pem TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
