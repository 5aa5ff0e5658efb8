SELECT metalake_id, area, value FROM revision WHERE metalake_id IN ($1, 0);
