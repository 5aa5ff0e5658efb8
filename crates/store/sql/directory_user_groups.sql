SELECT directory_group.id, directory_group.name FROM directory_member
JOIN directory_group ON directory_group.id = directory_member.group_id
WHERE directory_member.user_id = $1
ORDER BY directory_group.name;
