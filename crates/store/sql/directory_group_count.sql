SELECT COUNT(*) FROM directory_group;
