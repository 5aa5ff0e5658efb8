SELECT name, channel, proof, revision, enabled, creator, create_time, last_load_at, may_exchange FROM reader ORDER BY name;
