DELETE FROM ended_location WHERE location = $1 OR (location >= $2 AND location < $3);
