SELECT location FROM lent_location WHERE location >= $1 AND location < $2 AND ends_at > $3 AND is_left = 1 LIMIT 1;
