SELECT directory_user.id, directory_user.name FROM directory_member
JOIN directory_user ON directory_user.id = directory_member.user_id
WHERE directory_member.group_id = $1
ORDER BY directory_user.id;
