// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How far jobs are.

use std::time::Duration;

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::job::JobStatus;
use lakeward_metadata::kind::ObjectKind;

use crate::clock::AHEAD;

use super::scene::{Scene, user};
use crate::{Area, NewJob, NewObject, Store};

/// A template `t`.
async fn template(scene: &Scene, metalake: ObjectId) -> ObjectId {
    scene
        .object(metalake, metalake, ObjectKind::JobTemplate, "t")
        .await
}

/// A queued job of an executor.
async fn job(scene: &Scene, metalake: ObjectId, template: ObjectId, name: &str, executor: &str) -> ObjectId {
    let mut write = scene.write(metalake).await;
    let row = write
        .create_object(&NewObject::named(metalake, ObjectKind::Job, name))
        .await
        .unwrap();
    write.set_owner(row.id, &user("ann")).await.unwrap();
    let new = NewJob {
        template,
        template_name: "t".to_owned(),
        executor: executor.to_owned(),
    };
    write.insert_job(row.id, &new).await.unwrap();
    write.commit().await.unwrap();
    row.id
}

async fn status(store: &Store, job: ObjectId) -> JobStatus {
    let mut snapshot = store.snapshot().await.unwrap();
    snapshot.job(job).await.unwrap().unwrap().job.status
}

pub(super) async fn they_are_queued_run_and_end(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let template = template(scene, metalake).await;
    let first = job(scene, metalake, template, "job-1", "x").await;
    let second = job(scene, metalake, template, "job-2", "x").await;
    let revision = scene.store.current("m").await.unwrap();

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let queued = snapshot.job(first).await.unwrap().unwrap();
    assert_eq!(queued.owner, Some(user("ann")));
    assert_eq!(
        (queued.job.id.as_str(), queued.job.template.as_str()),
        ("job-1", "t")
    );
    assert_eq!(
        (queued.job.status, queued.job.started_at, queued.job.finished_at),
        (JobStatus::Queued, None, None)
    );
    assert_eq!(queued.job.audit.last_modifier, None);
    assert!(snapshot.has_active_jobs(template).await.unwrap());
    drop(snapshot);

    let mut write = scene.store.write_uncounted().await.unwrap();
    assert!(write.begin_job(first, 5, "system").await.unwrap());
    assert!(!write.begin_job(first, 6, "system").await.unwrap());
    assert!(
        write
            .end_job(first, JobStatus::Succeeded, 7, "system")
            .await
            .unwrap()
    );
    assert!(
        !write
            .end_job(first, JobStatus::Failed, 8, "system")
            .await
            .unwrap()
    );
    assert!(write.cancel_job(second, "bob").await.unwrap());
    assert!(!write.cancel_job(second, "bob").await.unwrap());
    assert!(!write.begin_job(second, 9, "system").await.unwrap());
    write.commit().await.unwrap();
    assert_eq!(scene.store.current("m").await.unwrap(), revision);

    let mut snapshot = scene.store.snapshot().await.unwrap();
    let ended = snapshot.job(first).await.unwrap().unwrap().job;
    assert_eq!((ended.started_at, ended.finished_at), (Some(5), Some(7)));
    assert_eq!(ended.audit.last_modifier.as_deref(), Some("system"));
    let of_x = snapshot.jobs_of_executor("x").await.unwrap();
    assert_eq!(of_x, [(second, JobStatus::Cancelling)]);
    assert_eq!(
        snapshot.jobs_finished_before(8, 9).await.unwrap(),
        [(metalake, first)]
    );
    assert!(snapshot.jobs_finished_before(7, 9).await.unwrap().is_empty());
    assert_eq!(snapshot.jobs(metalake).await.unwrap().len(), 2);
    drop(snapshot);

    let mut write = scene.write(metalake).await;
    write.rename_template_of_jobs(template, "new").await.unwrap();
    write.drop_object(first).await.unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    let left = snapshot.jobs_of_template(template).await.unwrap();
    let left: Vec<(ObjectId, &str)> = left
        .iter()
        .map(|row| (row.id, row.job.template.as_str()))
        .collect();
    assert_eq!(left, [(second, "new")]);
}

pub(super) async fn they_are_lost_with_their_process(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let template = template(scene, metalake).await;
    let queued = job(scene, metalake, template, "job-1", "gone").await;
    let cancelling = job(scene, metalake, template, "job-2", "gone").await;
    let own = job(scene, metalake, template, "job-3", "here").await;
    let mut write = scene.store.write_uncounted().await.unwrap();
    write.cancel_job(cancelling, "bob").await.unwrap();
    let an_hour = Some(Duration::from_secs(60 * 60));
    assert_eq!(write.lose_jobs("here", an_hour, "system").await.unwrap(), 0);
    write.note_executor("gone").await.unwrap();
    // A node whose clock is ahead or behind loses nobody's jobs, and none of its own are lost.
    if scene.store.is_shared() {
        for ahead in [7_200_000, -7_200_000] {
            AHEAD.set(ahead);
            let mut node = scene.store.write_uncounted().await.unwrap();
            assert_eq!(node.lose_jobs("here", an_hour, "system").await.unwrap(), 0);
            node.rollback().await.unwrap();
            write.note_executor("gone").await.unwrap();
            AHEAD.set(0);
            assert_eq!(write.lose_jobs("here", an_hour, "system").await.unwrap(), 0);
        }
    }
    assert_eq!(write.lose_jobs("here", None, "system").await.unwrap(), 2);
    write.commit().await.unwrap();
    assert_eq!(status(&scene.store, queued).await, JobStatus::Failed);
    assert_eq!(status(&scene.store, cancelling).await, JobStatus::Cancelled);
    assert_eq!(status(&scene.store, own).await, JobStatus::Queued);
}

pub(super) async fn they_go_with_their_metalake(scene: &Scene) {
    let metalake = scene.metalake("m").await;
    let template = template(scene, metalake).await;
    let running = job(scene, metalake, template, "job-1", "x").await;
    let areas = [&[Area::Server], &Area::OF_METALAKE[..]].concat();
    let mut write = scene.store.write(metalake, &areas, "ann").await.unwrap();
    write.drop_object(metalake).await.unwrap();
    write.commit().await.unwrap();
    let mut snapshot = scene.store.snapshot().await.unwrap();
    assert!(snapshot.job(running).await.unwrap().is_none());
    assert!(snapshot.jobs_of_executor("x").await.unwrap().is_empty());
}
