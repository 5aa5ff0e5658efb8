SELECT COUNT(*) FROM directory_user;
