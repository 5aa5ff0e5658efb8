INSERT INTO role_user (role_id, user_id) VALUES ($1, $2) ON CONFLICT (role_id, user_id) DO NOTHING;
