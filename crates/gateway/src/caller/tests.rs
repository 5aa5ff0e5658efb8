// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What callers prove and what they are told when they do not.

use base64::engine::general_purpose::STANDARD as BASE64;
use tonic::Code;
use url::Url;

use super::*;
use crate::settings::Settings;

fn gateway() -> Gateway {
    Gateway::new(Settings::new(Url::parse("http://127.0.0.1:1").unwrap())).unwrap()
}

fn metadata(headers: &[&str]) -> MetadataMap {
    let mut metadata = MetadataMap::new();
    for header in headers {
        metadata.append("authorization", header.parse().unwrap());
    }
    metadata
}

fn login(user: &str, password: &str) -> Presented {
    Presented::Login(Login {
        user: user.to_owned(),
        password: password.to_owned(),
    })
}

#[test]
fn headers_say_who_calls() {
    let gateway = gateway();
    let ann = format!("Basic {}", BASE64.encode("ann:a:b"));
    for (headers, expected) in [
        (vec![], Presented::Nothing),
        (vec![ann.as_str()], login("ann", "a:b")),
        // Some clients leave the padding out, and some send the header twice.
        (vec!["basic YW5uOmE"], login("ann", "a")),
        (vec![ann.as_str(), ann.as_str()], login("ann", "a:b")),
        (vec!["Basic YW5u"], login("ann", "")),
        (vec!["Bearer a.b.c"], Presented::Token("a.b.c".to_owned())),
    ] {
        assert_eq!(gateway.presented(&metadata(&headers)).unwrap(), expected);
    }
    for headers in [
        vec![""],
        vec!["Basic"],
        vec!["Basic %"],
        vec!["Digest a"],
        vec!["Bearer a", "Bearer b"],
    ] {
        let refusal = gateway.presented(&metadata(&headers)).unwrap_err();
        assert_eq!(refusal.code(), Code::Unauthenticated, "{headers:?}");
    }
}

#[test]
fn tickets_are_refused_with_what_to_do() {
    let refusal = gateway().presented(&metadata(&["Negotiate YWJj"])).unwrap_err();
    assert_eq!(refusal.code(), Code::Unauthenticated);
    assert!(refusal.message().contains("bearer token"), "{refusal}");
}

#[test]
fn a_caller_has_a_name_for_limits_and_the_audit() {
    let token = |payload: &str| Presented::Token(format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(payload)));
    assert_eq!(login("ann", "").name(), "ann");
    assert_eq!(Presented::Nothing.name(), "anonymous");
    assert_eq!(token(r#"{"sub":"cleo"}"#).name(), "cleo");
    assert_eq!(login(&"x".repeat(1000), "").name().len(), LONGEST_NAME);
    // Two tokens without a subject have two names, none of which says the token.
    let names = [r#"{"sub":""}"#, r#"{"sub":7}"#, "[]"].map(|payload| token(payload).name());
    for name in &names {
        assert!(
            name.starts_with("token-") && name.len() == "token-".len() + 2 * FINGERPRINT,
            "{name}"
        );
    }
    assert!(names[0] != names[1] && names[1] != names[2]);
}

#[tokio::test]
async fn a_server_that_cannot_be_asked_lets_nobody_in() {
    let refusal = gateway().caller(&metadata(&["Bearer a.b.c"])).await.unwrap_err();
    assert_eq!(refusal.code(), Code::Unavailable);
    assert!(!refusal.message().contains("127.0.0.1"), "{refusal}");
}
