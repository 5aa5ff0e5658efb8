UPDATE job
SET status = CASE WHEN status = 'cancelling' THEN 'cancelled' ELSE 'failed' END,
    finished_at = $3, last_modifier = $4, last_modified_time = $3
WHERE executor <> $1 AND status IN ('queued', 'started', 'cancelling') AND seen_at < $2;
