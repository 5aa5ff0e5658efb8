DELETE FROM metalake_group WHERE metalake_id = $1;
