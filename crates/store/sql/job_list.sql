SELECT job.job_id, object.name, job.template_name, job.status, object.creator, object.create_time, job.last_modifier,
    job.last_modified_time, job.queued_at, job.started_at, job.finished_at, owner_user.name, owner_group.name
FROM job
JOIN object ON object.id = job.job_id AND object.deleted_at = 0
LEFT JOIN owner ON owner.object_id = object.id
LEFT JOIN metalake_user AS owner_user ON owner_user.id = owner.user_id
LEFT JOIN metalake_group AS owner_group ON owner_group.id = owner.group_id
WHERE job.metalake_id = $1
ORDER BY job.job_id;
