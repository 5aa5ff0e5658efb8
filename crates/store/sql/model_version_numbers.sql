SELECT version FROM model_version WHERE model_id = $1 ORDER BY version;
