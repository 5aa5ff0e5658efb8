SELECT name, fingerprint, revision, enabled, creator, create_time FROM reader WHERE name = $1;
