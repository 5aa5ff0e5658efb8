SELECT version, alias FROM model_version_alias WHERE model_id = $1 ORDER BY alias;
