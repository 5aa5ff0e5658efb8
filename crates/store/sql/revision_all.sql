SELECT metalake_id, area, value FROM revision;
