INSERT INTO policy_revision (policy_id, revision, content_schema, content, enabled, author, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);
