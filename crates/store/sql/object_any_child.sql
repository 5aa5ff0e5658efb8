SELECT object.id
FROM object
WHERE object.parent_id = $1 AND object.deleted_at = 0 AND object.id <> 0
    AND object.kind NOT IN ('COLUMN', 'ROLE', 'TAG', 'POLICY', 'JOB_TEMPLATE', 'JOB')
LIMIT 1;
