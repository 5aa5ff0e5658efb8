-- Tokens that people made for their programs. The token itself is not kept: only its SHA-256, in hex, and its first letters.
CREATE TABLE access_token (
    hash TEXT NOT NULL PRIMARY KEY,
    user_name TEXT NOT NULL REFERENCES idp_user (name),
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    -- JSON arrays of names; null where nothing is narrowed.
    metalakes TEXT NOT NULL,
    roles TEXT NOT NULL,
    read_only BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX access_token_name ON access_token (user_name, name);

-- Whether a reader may have tokens of its users exchanged for tokens of this server.
ALTER TABLE reader ADD COLUMN may_exchange BIGINT NOT NULL DEFAULT 0;
