DELETE FROM metalake_user WHERE metalake_id = $1;
