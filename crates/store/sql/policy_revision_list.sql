SELECT revision, content_schema, content, enabled, author, created_at
FROM policy_revision
WHERE policy_id = $1
ORDER BY revision DESC;
