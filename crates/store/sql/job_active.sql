SELECT job_id FROM job WHERE template_id = $1 AND status IN ('queued', 'started', 'cancelling') LIMIT 1;
