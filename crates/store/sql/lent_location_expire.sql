DELETE FROM lent_location WHERE ends_at <= $1;
