DELETE FROM job WHERE metalake_id = $1;
