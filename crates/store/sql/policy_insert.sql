INSERT INTO policy (policy_id, policy_type, enabled, revision) VALUES ($1, $2, $3, 1);
