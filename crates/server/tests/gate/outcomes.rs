// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What every governed operation answers for a restricted table: to a client that declares nothing, to one that
//! nobody trusts, and to everybody when the restrictions cannot be resolved.

use lakeward_read_restrictions::code::RestrictionCode;
use lakeward_server::http::governance::Governance;
use lakeward_server::listing::all_routes;
use serde_json::Value;

use crate::golden;
use crate::requests::Ask;
use crate::scene::{ADMIN, ANN, Answer, BROKEN, CAPABLE, Door, NONE, RESTRICTED, SECRET, Scene, tables};

/// Every route with how it treats a restricted table: those for which it makes a difference first.
#[test]
fn every_route_with_its_governance() {
    let routes = all_routes();
    let mut lines: Vec<String> = routes
        .mounted()
        .iter()
        .map(|mounted| {
            let rest = if mounted.governance.is_governed() { "" } else { "~" };
            format!(
                "{rest}{}\t{}\t{}{}",
                mounted.governance,
                mounted.method,
                mounted.tree.base(),
                mounted.path
            )
        })
        .collect();
    lines.sort();
    let text: Vec<&str> = lines.iter().map(|line| line.trim_start_matches('~')).collect();
    golden::check("governed.golden", &(text.join("\n") + "\n"));
}

#[test]
fn whatever_names_a_table_is_governed() {
    let ungoverned: Vec<String> = all_routes()
        .mounted()
        .iter()
        .filter(|mounted| !mounted.governance.is_governed() && mounted.path.contains("/{table}"))
        .map(|mounted| format!("{} {}", mounted.method, mounted.path))
        .collect();
    assert!(ungoverned.is_empty(), "{ungoverned:?}");
}

async fn answer(scene: &Scene, user: &str, ask: &Ask, is_capable: bool) -> Answer {
    let mut request = scene.request(Door::Native, user, ask.method(), &ask.path, &ask.body);
    if is_capable {
        request = request.header(CAPABLE.0, CAPABLE.1);
    }
    Answer::of(request).await
}

fn has_code(answer: &Answer, method: &str, code: RestrictionCode) -> bool {
    method == "HEAD" || RestrictionCode::find_in(&answer.text) == Some(code)
}

#[tokio::test]
async fn the_gate_stands_before_every_governed_operation() {
    let scene = Scene::new(&[]).await;
    let gated = |namespace: &str| -> Vec<Ask> {
        let all = scene.asks(namespace, "gated").into_iter();
        all.filter(|ask| ask.mounted.governance == Governance::Gate)
            .collect()
    };
    let mut asked = 0;
    for ask in gated(RESTRICTED) {
        for (is_capable, status, code) in [
            (false, 406, RestrictionCode::NotAcceptable),
            (true, 403, RestrictionCode::UntrustedReader),
        ] {
            let answer = answer(&scene, ADMIN, &ask, is_capable).await;
            assert_eq!(answer.status, status, "{ask}: {}", answer.text);
            assert!(has_code(&answer, ask.method(), code), "{ask}: {}", answer.text);
            answer.tells_nothing(&ask.to_string());
            asked += 1;
        }
    }
    for ask in gated(BROKEN) {
        for is_capable in [false, true] {
            let answer = answer(&scene, ADMIN, &ask, is_capable).await;
            assert_eq!(answer.status, 403, "{ask}: {}", answer.text);
            assert!(
                has_code(&answer, ask.method(), RestrictionCode::Context),
                "{ask}: {}",
                answer.text
            );
            answer.tells_nothing(&ask.to_string());
            asked += 1;
        }
    }
    println!("{asked} requests stood before the gate");
    // The gate is no wall: the trusted reader gets the table, with what it must enforce.
    let path = format!("{}/t", tables(RESTRICTED));
    let request = scene
        .request(Door::Reader, ADMIN, "GET", &path, &NONE)
        .header(CAPABLE.0, CAPABLE.1);
    let loaded = Answer::of(request).await;
    assert_eq!(loaded.status, 200, "{}", loaded.text);
    let loaded: Value = serde_json::from_str(&loaded.text).expect("JSON");
    assert!(
        loaded["read-restrictions"]["required-row-filter"].is_object(),
        "{loaded}"
    );
}

#[tokio::test]
async fn what_is_not_for_part_of_a_table_is_refused() {
    let scene = Scene::new(&[]).await;
    for namespace in [RESTRICTED, BROKEN] {
        for ask in scene.asks(namespace, "refused") {
            if ask.mounted.governance != Governance::Refuse {
                continue;
            }
            for is_capable in [false, true] {
                let answer = answer(&scene, ADMIN, &ask, is_capable).await;
                assert!(
                    (400..500).contains(&answer.status),
                    "{ask}: {} {}",
                    answer.status,
                    answer.text
                );
                answer.tells_nothing(&ask.to_string());
            }
        }
        let path = format!("/api/metalakes/m/catalogs/ice/schemas/{namespace}/tables/t");
        scene.must(ADMIN, "GET", &path, NONE).await;
    }
}

#[tokio::test]
async fn the_native_protocol_shows_the_schema_alone() {
    let scene = Scene::new(&[]).await;
    for namespace in [RESTRICTED, BROKEN] {
        for ask in scene.asks(namespace, "shown") {
            if ask.mounted.governance != Governance::SchemaOnly {
                continue;
            }
            let answer = answer(&scene, ADMIN, &ask, true).await;
            let text = answer.text.replace(&format!("{SECRET}column"), "");
            Answer { text, ..answer }.tells_nothing(&ask.to_string());
        }
    }
}

#[tokio::test]
async fn explanations_name_what_the_asker_may_see() {
    let scene = Scene::new(&[]).await;
    for namespace in [RESTRICTED, BROKEN] {
        for ask in scene.asks(namespace, "explained") {
            if ask.mounted.governance != Governance::Explain {
                continue;
            }
            let answer = answer(&scene, ANN, &ask, false).await;
            // The names of columns, and what the question itself names.
            let mut text = answer.text.replace(&format!("{SECRET}column"), "");
            for named in ask.body.as_object().into_iter().flat_map(|body| body.values()) {
                text = text.replace(named.as_str().unwrap_or("-"), "");
            }
            Answer { text, ..answer }.tells_nothing(&ask.to_string());
        }
    }
}
