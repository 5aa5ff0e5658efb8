INSERT INTO directory_member (group_id, user_id) VALUES ($1, $2);
