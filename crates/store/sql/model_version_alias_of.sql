SELECT version, alias FROM model_version_alias WHERE model_id = $1 AND version = $2 ORDER BY alias;
