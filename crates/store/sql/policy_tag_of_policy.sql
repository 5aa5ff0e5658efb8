SELECT policy_tag.policy_id, policy_row.name, policy_tag.tag_id, tag_row.name, policy_tag.selector_type, policy_tag.selector_value
FROM policy_tag
JOIN object AS policy_row ON policy_row.id = policy_tag.policy_id AND policy_row.deleted_at = 0
JOIN object AS tag_row ON tag_row.id = policy_tag.tag_id AND tag_row.deleted_at = 0
WHERE policy_tag.policy_id = $1
ORDER BY tag_row.name;
