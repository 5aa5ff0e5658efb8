SELECT kind, report, reporter, reported_at
FROM metrics_report
WHERE object_id = $1 AND (CAST($2 AS TEXT) IS NULL OR kind = $2)
ORDER BY id DESC
LIMIT $3;
