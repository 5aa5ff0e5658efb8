UPDATE object SET metalake_id = id WHERE id = $1;
