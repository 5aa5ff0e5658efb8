-- What engines measured when they read tables and committed to them, the newest of each table. Reports are JSON.
CREATE TABLE metrics_report (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    object_id BIGINT NOT NULL REFERENCES object (id),
    kind TEXT NOT NULL,
    report TEXT NOT NULL,
    reporter TEXT NOT NULL,
    reported_at BIGINT NOT NULL
);
CREATE INDEX metrics_report_object ON metrics_report (object_id, id);
