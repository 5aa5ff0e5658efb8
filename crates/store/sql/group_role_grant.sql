INSERT INTO role_group (role_id, group_id) VALUES ($1, $2) ON CONFLICT (role_id, group_id) DO NOTHING;
