SELECT job.job_id, job.status
FROM job
WHERE job.executor = $1 AND job.status IN ('queued', 'started', 'cancelling');
