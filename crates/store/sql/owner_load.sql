SELECT owner_user.name, owner_group.name
FROM owner
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
WHERE owner.object_id = $1;
