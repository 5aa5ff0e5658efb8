-- The SHA-256 of the current metadata file, so that nobody else's words are taken for it: whoever may write a table's files
-- may replace it. Null until the file is read for the first time after this migration.
ALTER TABLE iceberg_table ADD COLUMN metadata_digest TEXT;
