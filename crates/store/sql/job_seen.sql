UPDATE job SET seen_at = $2 WHERE executor = $1 AND status IN ('queued', 'started', 'cancelling');
