SELECT 1
FROM finished_request
WHERE user_name = $1 AND expires_at > $2
LIMIT 1 OFFSET $3;
