UPDATE job
SET status = 'started', started_at = $2, last_modifier = $3, last_modified_time = $2
WHERE job_id = $1 AND status = 'queued';
