INSERT INTO tag_assignment (tag_id, object_id, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;
