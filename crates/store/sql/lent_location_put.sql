INSERT INTO lent_location (location, ends_at, is_left) VALUES ($1, $2, 0)
ON CONFLICT (location) DO UPDATE
SET ends_at = CASE WHEN lent_location.ends_at > excluded.ends_at THEN lent_location.ends_at ELSE excluded.ends_at END;
