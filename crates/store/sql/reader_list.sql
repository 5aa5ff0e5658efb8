SELECT name, fingerprint, revision, enabled, creator, create_time FROM reader ORDER BY name;
