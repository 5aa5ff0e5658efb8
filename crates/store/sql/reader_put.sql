INSERT INTO reader (name, fingerprint, revision, enabled, creator, create_time)
VALUES ($1, $2, 1, 1, $3, $4)
ON CONFLICT (name) DO UPDATE
SET fingerprint = excluded.fingerprint, revision = reader.revision + 1, enabled = 1,
    creator = excluded.creator, create_time = excluded.create_time
RETURNING revision;
