DELETE FROM reader WHERE name = $1;
