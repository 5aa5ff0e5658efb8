// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The built binary: its ready line, its end, and its state after a sudden death.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

struct Served {
    child: Child,
    native: String,
    iceberg: String,
}

async fn serve(folder: &Path, more: &[&str]) -> Served {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lakeward"))
        .args(["serve", "--port", "0", "--iceberg-port", "0", "--data-dir"])
        .arg(folder)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = tokio::time::timeout(Duration::from_secs(60), lines.next_line())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(ready.starts_with("ready native=http://127.0.0.1:"), "{ready}");
    let part = |name: &str| {
        ready
            .split(' ')
            .find_map(|part| part.strip_prefix(name))
            .unwrap()
            .to_owned()
    };
    Served {
        native: part("native="),
        iceberg: part("iceberg="),
        child,
    }
}

async fn create(client: &reqwest::Client, native: &str, name: &str) -> bool {
    let request = client
        .post(format!("{native}/api/metalakes"))
        .json(&json!({ "name": name }));
    request
        .send()
        .await
        .is_ok_and(|response| response.status().is_success())
}

async fn names(client: &reqwest::Client, native: &str) -> Vec<String> {
    let url = format!("{native}/api/metalakes");
    let listed: Value = client.get(url).send().await.unwrap().json().await.unwrap();
    let metalakes = listed.get("metalakes").and_then(Value::as_array).unwrap();
    metalakes
        .iter()
        .map(|metalake| metalake.get("name").and_then(Value::as_str).unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn what_was_answered_survives_a_sudden_death() {
    let folder = tempfile::tempdir().unwrap();
    let client = reqwest::Client::new();
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let mut served = serve(folder.path(), &[]).await;
        let kept = names(&client, &served.native).await;
        for name in &acknowledged {
            assert!(kept.contains(name), "{name} was answered and is gone");
        }
        let answered = Arc::new(AtomicUsize::new(0));
        let writers = (0..4).map(|writer| {
            let client = client.clone();
            let answered = Arc::clone(&answered);
            let native = served.native.clone();
            tokio::spawn(async move {
                let mut done = Vec::new();
                for number in 0.. {
                    let name = format!("m_{round}_{writer}_{number}");
                    if !create(&client, &native, &name).await {
                        break;
                    }
                    done.push(name);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
                done
            })
        });
        let writers: Vec<_> = writers.collect();
        while answered.load(Ordering::Relaxed) < 40 {
            assert!(
                writers.iter().any(|writer| !writer.is_finished()),
                "nobody writes"
            );
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // SIGKILL, in the middle of writes.
        served.child.kill().await.unwrap();
        for writer in writers {
            acknowledged.extend(writer.await.unwrap());
        }
    }
    assert!(!acknowledged.is_empty());
}

#[cfg(unix)]
#[tokio::test]
async fn it_ends_in_order_when_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let client = reqwest::Client::new();
    let mut served = serve(folder.path(), &[]).await;
    assert!(create(&client, &served.native, "kept").await);
    let config = client
        .get(format!("{}/v1/config", served.iceberg))
        .send()
        .await
        .unwrap();
    assert_ne!(
        config.status(),
        404,
        "the Iceberg protocol is served on its own port"
    );
    let id = served.child.id().unwrap().to_string();
    let told = Command::new("kill").args(["-TERM", &id]).status().await.unwrap();
    assert!(told.success());
    let ended = tokio::time::timeout(Duration::from_secs(120), served.child.wait()).await;
    assert!(ended.unwrap().unwrap().success());
    let again = serve(folder.path(), &[]).await;
    assert_eq!(names(&client, &again.native).await, ["kept"]);
}

#[tokio::test]
async fn a_second_server_does_not_take_the_same_folder() {
    let folder = tempfile::tempdir().unwrap();
    let _first = serve(folder.path(), &[]).await;
    let second = Command::new(env!("CARGO_BIN_EXE_lakeward"))
        .args(["serve", "--port", "0", "--iceberg-port", "0", "--data-dir"])
        .arg(folder.path())
        .output()
        .await
        .unwrap();
    assert_eq!(second.status.code(), Some(2));
    let text = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(text.contains("belongs to another running server"), "{text}");
}

#[tokio::test]
async fn a_misspelt_key_ends_the_start_with_the_right_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lakeward.conf");
    std::fs::write(&file, "gravitino.authorization.enabled = true\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_lakeward"))
        .args(["serve", "--conf"])
        .arg(&file)
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.contains("did you mean `gravitino.authorization.enable`"),
        "{text}"
    );
}
