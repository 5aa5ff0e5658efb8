SELECT job.metalake_id, job.job_id
FROM job
WHERE job.status IN ('failed', 'succeeded', 'cancelled') AND job.finished_at < $1
ORDER BY job.metalake_id, job.job_id
LIMIT $2;
