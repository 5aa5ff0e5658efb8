SELECT kind, report, reporter, reported_at
FROM metrics_report
WHERE object_id = $1
ORDER BY id DESC;
