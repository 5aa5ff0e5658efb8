UPDATE job
SET status = 'cancelling', last_modifier = $3, last_modified_time = $2
WHERE job_id = $1 AND status IN ('queued', 'started');
