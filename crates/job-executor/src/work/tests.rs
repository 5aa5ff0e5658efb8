// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Work of the server is queued, kept, ended and told of like processes.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use crate::{Event, ExecutorSettings, LocalExecutor, Outcome, Work};

/// Nothing takes this long.
const LONG: Duration = Duration::from_secs(60);

struct Scene {
    folder: tempfile::TempDir,
    executor: LocalExecutor,
    events: UnboundedReceiver<Event>,
}

impl Scene {
    fn new(change: impl FnOnce(&mut ExecutorSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = ExecutorSettings {
            staging_dir: folder.path().join("staging"),
            max_running_jobs: 1,
            ..ExecutorSettings::default()
        };
        change(&mut settings);
        let (executor, events) = LocalExecutor::new(settings);
        Self {
            folder,
            executor,
            events,
        }
    }

    async fn submit(&self, key: i64, work: Work) {
        let name = format!("job-{key}");
        let slot = self.executor.reserve().unwrap();
        let staged = self.executor.stage_work(&name, work).await.unwrap();
        self.executor.submit(slot, key, staged);
    }

    async fn next(&mut self) -> Event {
        let event = tokio::time::timeout(LONG, self.events.recv()).await;
        event.unwrap().unwrap()
    }

    fn kept(&self, key: i64, file: &str) -> String {
        let path = self.folder.path().join(format!("staging/job-{key}/{file}"));
        std::fs::read_to_string(path).unwrap()
    }
}

#[tokio::test]
async fn what_work_says_is_kept_up_to_the_limit() {
    let mut scene = Scene::new(|settings| settings.max_output_bytes = 9);
    let work = Work::new(|mut log| async move {
        log.line("one").await;
        log.line("two").await;
        log.line("three").await;
        Err("it went wrong".to_owned())
    });
    scene.submit(1, work).await;
    assert_eq!(scene.next().await, Event::Started(1));
    assert_eq!(scene.next().await, Event::Ended(1, Outcome::Failed));
    let output = scene.kept(1, "output.log");
    assert!(
        output.starts_with("one\ntwo\nt\n[lakeward: more than 9 bytes"),
        "{output}"
    );
    assert_eq!(scene.kept(1, "error.log"), "[lakeward: it went wrong]\n");
}

#[tokio::test]
async fn work_that_ends_well_or_breaks_off() {
    let mut scene = Scene::new(|_| {});
    scene.submit(1, Work::new(|_| async { Ok(()) })).await;
    assert_eq!(scene.next().await, Event::Started(1));
    assert_eq!(scene.next().await, Event::Ended(1, Outcome::Succeeded));
    let broken = Work::new(|_| async { panic!("a defect") });
    scene.submit(2, broken).await;
    assert_eq!(scene.next().await, Event::Started(2));
    assert_eq!(scene.next().await, Event::Ended(2, Outcome::Failed));
    assert_eq!(scene.kept(2, "error.log"), "[lakeward: the job broke off]\n");
}

#[tokio::test]
async fn cancelled_work_is_dropped_before_its_end_is_told() {
    let mut scene = Scene::new(|_| {});
    let (held, mut dropped) = oneshot::channel::<()>();
    let endless = Work::new(|mut log| async move {
        let _held = held;
        log.line("begun").await;
        std::future::pending().await
    });
    scene.submit(1, endless).await;
    assert_eq!(scene.next().await, Event::Started(1));
    // Another waits for its turn and never gets it.
    scene.submit(2, Work::new(|_| async { Ok(()) })).await;
    scene.executor.cancel(2);
    assert_eq!(scene.next().await, Event::Ended(2, Outcome::Cancelled));
    scene.executor.cancel(1);
    assert_eq!(scene.next().await, Event::Ended(1, Outcome::Cancelled));
    assert_eq!(dropped.try_recv(), Err(oneshot::error::TryRecvError::Closed));
}

#[tokio::test]
async fn work_ends_with_its_time_and_with_the_server() {
    let mut scene = Scene::new(|settings| settings.max_run_time = Duration::from_millis(1));
    scene.submit(1, Work::new(|_| std::future::pending())).await;
    assert_eq!(scene.next().await, Event::Started(1));
    assert_eq!(scene.next().await, Event::Ended(1, Outcome::Failed));
    let said = scene.kept(1, "error.log");
    assert!(said.contains("as long as it may"), "{said}");
    let mut scene = Scene::new(|_| {});
    scene.submit(1, Work::new(|_| std::future::pending())).await;
    assert_eq!(scene.next().await, Event::Started(1));
    scene.executor.stop().await;
    assert_eq!(scene.next().await, Event::Ended(1, Outcome::Stopped));
}
