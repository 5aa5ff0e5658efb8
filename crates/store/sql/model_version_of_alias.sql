SELECT version FROM model_version_alias WHERE model_id = $1 AND alias = $2;
