SELECT upstream_identity.uuid
FROM upstream_identity
WHERE upstream_identity.object_id = $1;
