UPDATE reader SET enabled = $2, revision = revision + 1 WHERE name = $1;
