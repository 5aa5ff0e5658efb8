UPDATE revision SET value = value + 1 WHERE metalake_id = $1 AND area = $2 RETURNING value;
