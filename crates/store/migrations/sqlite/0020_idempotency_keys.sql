-- What became of requests that named an idempotency key, so that one that comes again has no second effect. The row of a
-- request that took effect is written together with the effect. A refusal is null for a request that succeeded.
CREATE TABLE finished_request (
    user_name TEXT NOT NULL,
    request_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    refusal BIGINT,
    object_id BIGINT,
    answer TEXT,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_name, request_key)
);
CREATE INDEX finished_request_expires ON finished_request (expires_at);
