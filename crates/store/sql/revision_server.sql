SELECT value FROM revision WHERE metalake_id = 0 AND area = 'server';
