INSERT INTO policy_tag (policy_id, tag_id, selector_type, selector_value, creator, create_time)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (policy_id, tag_id) DO UPDATE SET selector_type = excluded.selector_type, selector_value = excluded.selector_value;
