SELECT name, fingerprint, revision, enabled, creator, create_time FROM reader WHERE fingerprint = $1;
