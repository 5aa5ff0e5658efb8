UPDATE policy SET enabled = $2, revision = revision + 1 WHERE policy_id = $1 RETURNING revision;
