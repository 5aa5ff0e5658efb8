INSERT INTO metrics_report (object_id, kind, report, reporter, reported_at)
VALUES ($1, $2, $3, $4, $5);
