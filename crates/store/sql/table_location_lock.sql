UPDATE table_location_lock SET claims = claims + 1 WHERE id = 0;
