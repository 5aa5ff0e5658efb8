DELETE FROM metrics_report
WHERE object_id = $1
  AND id <= (SELECT old.id FROM metrics_report AS old WHERE old.object_id = $1 ORDER BY old.id DESC LIMIT 1 OFFSET $2);
