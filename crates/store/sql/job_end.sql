UPDATE job
SET status = $2, finished_at = $3, last_modifier = $4, last_modified_time = $3
WHERE job_id = $1 AND status IN ('queued', 'started', 'cancelling');
