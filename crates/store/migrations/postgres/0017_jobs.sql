-- How far jobs are. A job is an object, which has its name, creator and owner; what changes while it runs is here, so that
-- it raises no counter. `executor` is the server process that runs it, `seen_at` when that process last said so.
CREATE TABLE job (
    job_id BIGINT NOT NULL PRIMARY KEY REFERENCES object (id),
    metalake_id BIGINT NOT NULL REFERENCES object (id),
    template_id BIGINT NOT NULL REFERENCES object (id),
    template_name TEXT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    last_modifier TEXT,
    last_modified_time BIGINT,
    queued_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT,
    executor TEXT COLLATE "C" NOT NULL,
    seen_at BIGINT NOT NULL
);

CREATE INDEX job_metalake ON job (metalake_id);
CREATE INDEX job_template ON job (template_id, status);
CREATE INDEX job_status ON job (status, finished_at);
