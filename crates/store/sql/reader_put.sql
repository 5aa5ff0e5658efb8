INSERT INTO reader (name, channel, proof, revision, enabled, creator, create_time, may_exchange)
VALUES ($1, $2, $3, $4, 1, $5, $6, $7)
ON CONFLICT (name) DO UPDATE
SET channel = excluded.channel, proof = excluded.proof, enabled = 1,
    revision = CASE WHEN excluded.revision > reader.revision THEN excluded.revision ELSE reader.revision + 1 END,
    creator = excluded.creator, create_time = excluded.create_time, may_exchange = excluded.may_exchange
RETURNING revision;
