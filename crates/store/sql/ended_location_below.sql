SELECT location FROM ended_location WHERE location >= $1 AND location < $2 LIMIT 1;
