// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What evidence makes a request trusted.

use lakeward_catalog::registry::Registry;
use lakeward_store::{Store, StoreOptions, StoreUrl};

use super::*;
use crate::OperationSettings;

/// Readers `cert`, `client` and `actor`, and one per channel that is disabled, each with a proof of its own name.
async fn world() -> Operations {
    let store = Store::open(&StoreUrl::Memory, StoreOptions::default())
        .await
        .unwrap();
    let mut write = store.write_server("root").await.unwrap();
    for (name, channel) in [
        ("cert", ReaderChannel::Certificate),
        ("client", ReaderChannel::OauthClient),
        ("actor", ReaderChannel::Actor),
    ] {
        write.put_reader(name, channel, name, false).await.unwrap();
        let disabled = format!("no-{name}");
        write
            .put_reader(&disabled, channel, &disabled, false)
            .await
            .unwrap();
        write.enable_reader(&disabled, false).await.unwrap();
    }
    write.commit().await.unwrap();
    Operations::new(store, Registry::default(), OperationSettings::default())
}

/// `certificate subject client actor`, with `-` for what is absent; a subject of `-` means no token, one of `?` a token
/// without a subject.
fn evidence(text: &str) -> ReaderEvidence {
    let mut parts = text
        .split_whitespace()
        .map(|part| (part != "-").then(|| part.to_owned()));
    let mut next = || parts.next().flatten();
    let certificate = next();
    let token = next().map(|subject| TokenEvidence {
        subject: (subject != "?").then_some(subject),
        client: next(),
        acting: match next().as_deref() {
            None => Acting::Nobody,
            Some("foreign") => Acting::BySomebodyElse,
            Some(actor) => Acting::By(actor.to_owned()),
        },
        is_of_client_itself: false,
        may_act: None,
    });
    ReaderEvidence { certificate, token }
}

fn told(trust: Result<Trust, OperationError>) -> String {
    match trust {
        Ok(Trust::Trusted(reader)) => reader.name,
        Ok(Trust::Untrusted) => "untrusted".to_owned(),
        Ok(Trust::Refused(why)) => format!("{why:?}"),
        Err(OperationError::Forbidden(_)) => "forbidden".to_owned(),
        Err(other) => format!("{other:?}"),
    }
}

#[tokio::test]
async fn evidence_and_trust() {
    let operations = world().await;
    for (text, expected) in [
        ("- - - -", "untrusted"),
        ("cert - - -", "cert"),
        ("cert ann - -", "cert"),
        ("cert ann web -", "cert"),
        ("cert ann web somebody", "cert"),
        ("no-cert ann - -", "forbidden"),
        ("unknown ann client -", "forbidden"),
        ("client ann - -", "forbidden"),
        // the OAuth client
        ("- ann client -", "client"),
        ("- ann no-client -", "untrusted"),
        ("- ann web -", "untrusted"),
        ("- ann - -", "untrusted"),
        ("- ann actor -", "untrusted"),
        ("- client client -", "WithoutUser"),
        ("- client web -", "untrusted"),
        // the actor
        ("- ann web actor", "actor"),
        ("- ann - actor", "actor"),
        ("- ann - no-actor", "untrusted"),
        ("- ann - client", "untrusted"),
        ("- ann client somebody", "untrusted"),
        ("- ann client foreign", "untrusted"),
        ("- actor - actor", "WithoutUser"),
        ("- actor web -", "WithoutUser"),
        ("- client web actor", "WithoutUser"),
        // two of them
        ("cert ann client -", "TwoReaders"),
        ("cert ann no-client -", "TwoReaders"),
        ("cert ann - actor", "TwoReaders"),
        ("- ann client actor", "TwoReaders"),
        // a token without a subject
        ("- ? - -", "untrusted"),
        ("- ? web -", "untrusted"),
        ("cert ? - -", "WithoutUser"),
        ("cert ? web -", "WithoutUser"),
        ("- ? client -", "WithoutUser"),
        ("- ? web actor", "WithoutUser"),
        ("cert actor - -", "WithoutUser"),
        ("cert client - -", "WithoutUser"),
    ] {
        assert_eq!(told(operations.trust(&evidence(text)).await), expected, "{text}");
    }
    for text in ["- ann client -", "cert ann web -", "- ann - actor"] {
        let mut own = evidence(text);
        if let Some(token) = &mut own.token {
            token.is_of_client_itself = true;
        }
        assert_eq!(told(operations.trust(&own).await), "WithoutUser", "{text}");
    }
}

#[tokio::test]
async fn a_reader_is_trusted_as_of_now() {
    let operations = world().await;
    let by_client = evidence("- ann client -");
    let Trust::Trusted(before) = operations.trust(&by_client).await.unwrap() else {
        panic!("trusted");
    };
    let mut write = operations.store().write_server("root").await.unwrap();
    write.enable_reader("client", false).await.unwrap();
    write.commit().await.unwrap();
    assert_eq!(told(operations.trust(&by_client).await), "untrusted");
    let mut write = operations.store().write_server("root").await.unwrap();
    write.remove_reader("client").await.unwrap();
    write
        .put_reader("client", ReaderChannel::OauthClient, "client", false)
        .await
        .unwrap();
    write.commit().await.unwrap();
    let Trust::Trusted(after) = operations.trust(&by_client).await.unwrap() else {
        panic!("trusted");
    };
    assert!(after.revision > before.revision, "a new reader of the old name");
}

#[test]
fn proofs_of_readers() {
    let check = |value: &str| {
        let proof = ReaderProof {
            channel: ReaderChannel::Actor,
            value: value.to_owned(),
        };
        proof.check().is_ok()
    };
    for value in ["trino", "service account", "https://idp/clients/1", "ü"] {
        assert!(check(value), "{value}");
    }
    for value in ["", " ", " x", "x\n", &"x".repeat(257)] {
        assert!(!check(value), "{value:?}");
    }
}
