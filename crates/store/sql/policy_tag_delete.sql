DELETE FROM policy_tag WHERE policy_id = $1 AND tag_id = $2;
