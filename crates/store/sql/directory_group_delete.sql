DELETE FROM directory_group WHERE id = $1;
