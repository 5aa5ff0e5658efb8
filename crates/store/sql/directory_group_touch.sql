UPDATE directory_group SET version = version + 1, modified_at = $2
WHERE id IN (SELECT group_id FROM directory_member WHERE user_id = $1);
