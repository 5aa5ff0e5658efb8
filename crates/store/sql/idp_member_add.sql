INSERT INTO idp_member (group_name, user_name) VALUES ($1, $2) ON CONFLICT (group_name, user_name) DO NOTHING;
