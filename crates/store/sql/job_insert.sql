INSERT INTO job (job_id, metalake_id, template_id, template_name, status, queued_at, executor, seen_at)
VALUES ($1, $2, $3, $4, 'queued', $5, $6, $7);
