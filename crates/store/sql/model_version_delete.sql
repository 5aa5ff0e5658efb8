DELETE FROM model_version WHERE model_id = $1 AND version = $2;
