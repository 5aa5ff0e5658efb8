INSERT INTO authority (id, certificate_pem, key_pem, created_at) VALUES (1, $1, $2, $3) ON CONFLICT (id) DO NOTHING;
