SELECT location FROM lent_location WHERE location = $1 AND ends_at > $2 AND is_left = 1;
