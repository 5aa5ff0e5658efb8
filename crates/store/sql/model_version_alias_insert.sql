INSERT INTO model_version_alias (model_id, alias, version) VALUES ($1, $2, $3);
