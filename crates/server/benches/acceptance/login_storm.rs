// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A request whose password is remembered, while others guess passwords of ten accounts, against the same in peace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use lakeward_server::config::properties::Properties;
use lakeward_server::{Settings, start};

use crate::measure::size;

/// How many guess at the same time.
const GUESSERS: usize = 16;
const PASSWORD: &str = "correct horse battery";

pub(crate) async fn run() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().display().to_string();
    let properties = Properties::from_pairs([
        ("lakeward.data-dir", data.as_str()),
        ("gravitino.server.webserver.host", "127.0.0.1"),
        ("gravitino.server.webserver.httpPort", "0"),
        ("gravitino.iceberg-rest.host", "127.0.0.1"),
        ("gravitino.iceberg-rest.httpPort", "0"),
        ("gravitino.authenticators", "basic"),
        ("gravitino.authorization.enable", "true"),
        ("gravitino.authorization.serviceAdmins", "root"),
    ])
    .unwrap();
    let mut settings = Settings::from_properties(properties).unwrap();
    settings.initial_admin_password = Some(PASSWORD.to_owned());
    let server = start(settings).await.unwrap();
    let url = format!("http://{}/api/authn/me", server.native_addr);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ask = async |user: &str, password: &str| {
        let asked = client.get(&url).basic_auth(user, Some(password)).send();
        asked.await.unwrap().status().as_u16()
    };
    let remembered = async || {
        let mut times = Vec::new();
        for _ in 0..size(2_000) {
            let begin = Instant::now();
            assert_eq!(ask("root", PASSWORD).await, 200);
            times.push(begin.elapsed());
        }
        times.sort();
        times[times.len() / 2]
    };
    remembered().await;
    let peace = remembered().await;

    let guesses = size(10_000);
    let next = Arc::new(AtomicUsize::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let storm: Vec<_> = (0..GUESSERS)
        .map(|_| {
            let (client, url) = (client.clone(), url.clone());
            let (next, is_over) = (Arc::clone(&next), Arc::clone(&is_over));
            tokio::spawn(async move {
                // It goes on until both sides have had enough.
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= guesses && is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    let user = format!("user-{}", number % 10);
                    let guess = format!("wrong password {number}");
                    let answer = client
                        .get(&url)
                        .basic_auth(user, Some(guess))
                        .send()
                        .await
                        .unwrap();
                    assert!(matches!(answer.status().as_u16(), 401 | 429));
                }
            })
        })
        .collect();
    let stormy = remembered().await;
    is_over.store(true, Ordering::Relaxed);
    for guesser in storm {
        guesser.await.unwrap();
    }
    println!(
        "login storm of {} guesses by {GUESSERS}: remembered {stormy:.1?}, in peace {peace:.1?}, ratio {:.3}; goal at most 2",
        next.load(Ordering::Relaxed),
        stormy.as_secs_f64() / peace.as_secs_f64(),
    );
    server.stop().await;
}
