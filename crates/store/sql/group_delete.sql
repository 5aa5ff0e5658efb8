DELETE FROM metalake_group WHERE id = $1;
