-- Which table or view of another catalog a row of a federated catalog stands for: the UUID that the other catalog gives it.
-- Names of the other catalog change behind our back; what was granted on a row follows the UUID.
CREATE TABLE upstream_identity (
    object_id BIGINT NOT NULL PRIMARY KEY REFERENCES object (id),
    catalog_id BIGINT NOT NULL REFERENCES object (id),
    uuid TEXT NOT NULL
);
CREATE UNIQUE INDEX upstream_identity_uuid ON upstream_identity (catalog_id, uuid);
