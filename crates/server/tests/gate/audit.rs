// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every decision is in the audit log; where the log is required, nothing governed is answered without its record.

use lakeward_operations::step::Step;
use serde_json::{Value, json};

use crate::observer::{Fault, Saboteur};
use crate::requests::commit;
use crate::scene::{ADMIN, ANN, Answer, BOSS, CAPABLE, Door, NONE, RESTRICTED, Scene, tables};

const PASSWORD: &str = "hunter2-and-more";

fn record_of(scene: &Scene, request_id: &str) -> Value {
    let all = scene.audit_records();
    let mut found = all.iter().filter(|record| record["request-id"] == request_id);
    let record = found
        .next()
        .unwrap_or_else(|| panic!("no record of {request_id}"));
    assert!(found.next().is_none(), "one record of {request_id}");
    record.clone()
}

async fn ask(scene: &Scene, id: &str, door: Door, user: &str, path: &str) -> Answer {
    let request = scene
        .request(door, user, "GET", path, &NONE)
        .header(CAPABLE.0, CAPABLE.1)
        .header("X-Request-Id", id);
    Answer::of(request).await
}

#[tokio::test]
async fn decisions_are_recorded_with_what_they_were_made_of() {
    let scene = Scene::new(&[]).await;
    let path = format!("{}/t", tables(RESTRICTED));
    assert_eq!(
        ask(&scene, "allowed", Door::Reader, ADMIN, &path).await.status,
        200
    );
    assert_eq!(
        ask(&scene, "untrusted", Door::Native, ADMIN, &path).await.status,
        403
    );
    let broken = format!("{}/t", tables("n2"));
    assert_eq!(
        ask(&scene, "broken", Door::Reader, ADMIN, &broken).await.status,
        403
    );
    assert_eq!(
        ask(&scene, "outsider", Door::Native, "eve", &path).await.status,
        403
    );
    let forced = "/api/metalakes/m/policies/zz_policy_some?force=true";
    let request = scene
        .request(Door::Native, ADMIN, "PATCH", forced, &json!({"enable": false}))
        .header("X-Request-Id", "widening");
    assert_eq!(Answer::of(request).await.status, 200);
    let request = scene
        .anybody
        .get(format!("http://{}{path}", scene.running.native_addr))
        .bearer_auth(PASSWORD)
        .header("X-Request-Id", "stranger");
    assert_eq!(Answer::of(request).await.status, 401);
    let request = scene
        .anybody
        .get(format!(
            "http://{}{path}?token={PASSWORD}",
            scene.running.native_addr
        ))
        .basic_auth(ANN, Some(PASSWORD))
        .header("X-Request-Id", "ann");
    assert_eq!(
        Answer::of(request).await.status,
        200,
        "nothing restricts it any more"
    );
    scene.running.app.audit.flush().await;

    let allowed = record_of(&scene, "allowed");
    assert_eq!(
        (
            &allowed["user"],
            &allowed["operation"],
            &allowed["outcome"],
            &allowed["status"]
        ),
        (&json!(ADMIN), &json!("LoadTable"), &json!("allowed"), &json!(200))
    );
    assert_eq!(allowed["reader"]["name"], "gateway");
    assert!(allowed["reader"]["revision"].is_i64(), "{allowed}");
    assert_eq!(
        allowed["object"],
        json!({"metalake": "m", "type": "table", "name": "ice.n1.t"})
    );
    assert!(allowed["signature"].is_string(), "{allowed}");
    assert!(allowed["revision"]["governance"].as_i64() > Some(0), "{allowed}");
    for (id, code) in [
        ("untrusted", "restriction-untrusted-reader"),
        ("broken", "restriction-context"),
    ] {
        let refused = record_of(&scene, id);
        assert_eq!(refused["outcome"], "refused", "{refused}");
        assert_eq!(refused["code"], code, "{refused}");
        assert!(refused["signature"].is_null(), "{refused}");
    }
    let outsider = record_of(&scene, "outsider");
    assert_eq!(
        (&outsider["user"], &outsider["status"]),
        (&json!("eve"), &json!(403))
    );
    assert!(
        outsider["reason"]
            .as_str()
            .is_some_and(|rule| rule.contains("not authorized")),
        "{outsider}"
    );
    let widening = record_of(&scene, "widening");
    assert_eq!(
        widening["widened"],
        json!([{"policies": ["zz_policy_some"], "objects": ["schema `ice.n1`"]}])
    );
    assert_eq!(widening["forced"], true);
    let stranger = record_of(&scene, "stranger");
    assert_eq!(
        (&stranger["outcome"], &stranger["status"]),
        (&json!("refused"), &json!(401))
    );
    assert_eq!(record_of(&scene, "ann")["outcome"], "allowed");
    let text = std::fs::read_to_string(scene.audit_file()).expect("a log");
    for secret in [PASSWORD, "PRIVATE KEY", "BEGIN CERTIFICATE", "Basic ", "Bearer "] {
        assert!(!text.contains(secret), "`{secret}` is in the log");
    }
    assert_eq!(scene.running.app.audit.counted().1, 0, "nothing was lost");
}

/// A client that goes away after its change was made hides nothing of what the change took.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_whose_client_went_away_is_recorded_with_what_it_took() {
    let scene = Scene::new(&[]).await;
    let saboteur = Saboteur::default();
    let steps = scene.running.app.operations.steps();
    assert!(steps.watch(Box::new(saboteur.clone())), "the first observer");
    let path = "/api/metalakes/m/policies/zz_policy_some";
    let change = |id: &str, enable: bool| {
        let path = format!("{path}?force=true");
        let body = json!({ "enable": enable });
        let request = scene.request(Door::Native, ADMIN, "PATCH", &path, &body);
        request.header("X-Request-Id", id)
    };
    assert_eq!(Answer::of(change("try", false)).await.status, 200);
    assert_eq!(Answer::of(change("back", true)).await.status, 200);
    let passed = saboteur.passed("try");
    assert_eq!(passed.last(), Some(&Step::Serialization));

    let stalled = saboteur.plan("gone", passed.len() - 1, Fault::Stall);
    let sending = tokio::spawn(change("gone", false).send());
    stalled.notified().await;
    sending.abort();
    assert!(sending.await.is_err_and(|error| error.is_cancelled()));
    let policy = scene.must(ADMIN, "GET", path, NONE).await;
    assert_eq!(policy["policy"]["enabled"], false, "the change was made");
    while !scene
        .audit_records()
        .iter()
        .any(|record| record["request-id"] == "gone")
    {
        scene.running.app.audit.flush().await;
        tokio::task::yield_now().await;
    }
    let record = record_of(&scene, "gone");
    assert_eq!(record["outcome"], "given-up");
    assert_eq!(
        record["widened"][0]["policies"],
        json!(["zz_policy_some"]),
        "{record}"
    );
}

#[tokio::test]
async fn a_required_record_is_there_before_the_answer() {
    let scene = Scene::new(&[("lakeward.audit.required", "true")]).await;
    let path = format!("{}/t", tables(RESTRICTED));
    for number in 0..20 {
        let id = format!("load-{number}");
        assert_eq!(ask(&scene, &id, Door::Reader, ADMIN, &path).await.status, 200);
        assert_eq!(record_of(&scene, &id)["outcome"], "allowed");
    }
    let request = scene
        .request(Door::Native, BOSS, "POST", &path, &commit())
        .header("X-Request-Id", "commit");
    assert_eq!(Answer::of(request).await.status, 200);
    let outcomes: Vec<Value> = scene
        .audit_records()
        .into_iter()
        .filter(|record| record["request-id"] == "commit")
        .map(|record| record["outcome"].clone())
        .collect();
    assert_eq!(outcomes, ["begun", "allowed"]);
}

#[tokio::test]
async fn without_the_required_log_nothing_governed_is_answered() {
    let full = std::path::Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let scene = Scene::new(&[]).await;
    let path = format!("{}/t", tables(RESTRICTED));
    let before = scene.must(BOSS, "GET", &path, NONE).await;
    let scene = scene
        .restart(&[
            ("lakeward.audit.required", "true"),
            ("lakeward.audit.file", "/dev/full"),
        ])
        .await;
    let refused = ask(&scene, "load", Door::Reader, ADMIN, &path).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    refused.tells_nothing("a load without its record");
    for (method, path, body) in [
        ("POST", path.clone(), commit()),
        ("POST", "/api/metalakes".to_owned(), json!({"name": "other"})),
    ] {
        let refused = Answer::of(scene.request(Door::Native, BOSS, method, &path, &body)).await;
        assert!(matches!(refused.status, 403 | 503), "{path}: {}", refused.text);
        refused.tells_nothing("a change without its record");
    }
    // What governs nothing goes on, and what is refused stays refused.
    scene.must(ADMIN, "GET", "/api/metalakes", NONE).await;
    assert_eq!(
        ask(&scene, "untrusted", Door::Native, ADMIN, &path).await.status,
        403
    );
    scene.running.app.audit.flush().await;
    assert!(scene.running.app.audit.counted().1 > 0, "losses are counted");
    let scene = scene.restart(&[]).await;
    assert_eq!(
        scene.must(BOSS, "GET", &path, NONE).await,
        before,
        "nothing was changed"
    );
}

/// Who asks for a path that is not there is identified first, and that takes no longer than any request.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_ever_to_hear_that_a_path_is_not_there() {
    let scene = Scene::new(&[("lakeward.server.requestTimeoutMs", "6000")]).await;
    let saboteur = Saboteur::default();
    let steps = scene.running.app.operations.steps();
    assert!(steps.watch(Box::new(saboteur.clone())), "the first observer");
    for (id, fault) in [
        ("there", None),
        ("broken", Some(Fault::Error)),
        ("hangs", Some(Fault::Stall)),
    ] {
        if let Some(fault) = fault {
            saboteur.plan(id, 0, fault);
        }
        let answer = ask(&scene, id, Door::Native, ANN, "/api/nothing").await;
        let expected = if fault.is_some() { 503 } else { 404 };
        assert_eq!(answer.status, expected, "{id}: {}", answer.text);
        answer.tells_nothing(id);
        assert_eq!(saboteur.passed(id), [Step::Identity]);
    }
    scene.running.app.audit.flush().await;
    for id in ["broken", "hangs"] {
        let record = record_of(&scene, id);
        assert_eq!(
            (&record["outcome"], &record["status"]),
            (&json!("failed"), &json!(503)),
            "{record}"
        );
    }
}
