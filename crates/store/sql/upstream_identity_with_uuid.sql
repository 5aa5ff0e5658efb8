SELECT upstream_identity.object_id
FROM upstream_identity
WHERE upstream_identity.catalog_id = $1 AND upstream_identity.uuid = $2;
