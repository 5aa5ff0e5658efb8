DELETE FROM job WHERE job_id = $1;
