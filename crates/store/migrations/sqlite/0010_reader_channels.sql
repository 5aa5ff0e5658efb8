-- By what a reader is known: its certificate, its OAuth client, or the actor of a delegated token. What was the
-- fingerprint is the value that the channel proves.
ALTER TABLE reader RENAME COLUMN fingerprint TO proof;
ALTER TABLE reader ADD COLUMN channel TEXT NOT NULL DEFAULT 'certificate';
ALTER TABLE reader ADD COLUMN last_load_at BIGINT;

DROP INDEX reader_fingerprint;
CREATE UNIQUE INDEX reader_proof ON reader (channel, proof);
