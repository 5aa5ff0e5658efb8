-- Versions of models. The number of the next one is kept with the model, so that none is given twice. Texts of uris
-- and properties are JSON.
CREATE TABLE model_version (
    model_id BIGINT NOT NULL REFERENCES object (id),
    version BIGINT NOT NULL,
    comment TEXT,
    uris TEXT NOT NULL,
    properties TEXT NOT NULL,
    creator TEXT NOT NULL,
    create_time BIGINT NOT NULL,
    last_modifier TEXT,
    last_modified_time BIGINT,
    PRIMARY KEY (model_id, version)
);
CREATE TABLE model_version_alias (
    model_id BIGINT NOT NULL REFERENCES object (id),
    alias TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (model_id, alias)
);
