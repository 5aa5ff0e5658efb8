DELETE FROM setting WHERE name = $1;
