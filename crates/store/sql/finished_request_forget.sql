DELETE FROM finished_request WHERE expires_at <= $1;
