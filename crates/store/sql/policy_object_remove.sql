DELETE FROM policy_object WHERE policy_id = $1 AND object_id = $2;
