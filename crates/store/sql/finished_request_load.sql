SELECT fingerprint, refusal, object_id, answer
FROM finished_request
WHERE user_name = $1 AND request_key = $2 AND expires_at > $3;
