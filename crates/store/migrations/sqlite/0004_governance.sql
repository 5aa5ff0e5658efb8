-- Tags on objects, policies with their revisions, policies on tags and on objects.
CREATE TABLE tag_assignment (
    tag_id BIGINT NOT NULL REFERENCES object (id),
    object_id BIGINT NOT NULL REFERENCES object (id),
    value TEXT
);

CREATE UNIQUE INDEX tag_assignment_valued ON tag_assignment (object_id, tag_id, value) WHERE value IS NOT NULL;
CREATE UNIQUE INDEX tag_assignment_valueless ON tag_assignment (object_id, tag_id) WHERE value IS NULL;
CREATE INDEX tag_assignment_tag ON tag_assignment (tag_id);

CREATE TABLE policy (
    policy_id BIGINT NOT NULL PRIMARY KEY REFERENCES object (id),
    policy_type TEXT NOT NULL,
    enabled SMALLINT NOT NULL,
    revision BIGINT NOT NULL
);

-- Every content a policy ever had, with the version of the schema that the content follows.
CREATE TABLE policy_revision (
    policy_id BIGINT NOT NULL REFERENCES policy (policy_id),
    revision BIGINT NOT NULL,
    content_schema TEXT NOT NULL,
    content TEXT NOT NULL,
    enabled SMALLINT NOT NULL,
    author TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (policy_id, revision)
);

CREATE TABLE policy_tag (
    policy_id BIGINT NOT NULL REFERENCES policy (policy_id),
    tag_id BIGINT NOT NULL REFERENCES object (id),
    selector_type TEXT NOT NULL,
    selector_value TEXT,
    creator TEXT NOT NULL,
    create_time BIGINT NOT NULL,
    PRIMARY KEY (policy_id, tag_id)
);

CREATE INDEX policy_tag_tag ON policy_tag (tag_id);

CREATE TABLE policy_object (
    policy_id BIGINT NOT NULL REFERENCES policy (policy_id),
    object_id BIGINT NOT NULL REFERENCES object (id),
    PRIMARY KEY (policy_id, object_id)
);

CREATE INDEX policy_object_object ON policy_object (object_id);
