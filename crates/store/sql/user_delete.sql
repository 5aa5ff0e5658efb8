DELETE FROM metalake_user WHERE id = $1;
