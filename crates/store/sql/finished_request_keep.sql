INSERT INTO finished_request (user_name, request_key, fingerprint, refusal, object_id, answer, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (user_name, request_key) DO UPDATE
SET fingerprint = excluded.fingerprint, refusal = excluded.refusal, object_id = excluded.object_id,
    answer = excluded.answer, expires_at = excluded.expires_at
WHERE finished_request.expires_at <= $8;
