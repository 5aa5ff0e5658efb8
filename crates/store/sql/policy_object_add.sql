INSERT INTO policy_object (policy_id, object_id) VALUES ($1, $2) ON CONFLICT (policy_id, object_id) DO NOTHING;
