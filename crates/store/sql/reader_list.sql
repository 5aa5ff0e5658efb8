SELECT name, channel, proof, revision, enabled, creator, create_time, last_load_at FROM reader ORDER BY name;
