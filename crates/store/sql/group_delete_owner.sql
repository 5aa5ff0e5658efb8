DELETE FROM owner WHERE group_id = $1;
