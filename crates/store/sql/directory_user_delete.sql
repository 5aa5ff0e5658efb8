DELETE FROM directory_user WHERE id = $1;
