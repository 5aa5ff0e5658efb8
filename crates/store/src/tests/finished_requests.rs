// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Requests that name an idempotency key.

use super::scene::Scene;
use crate::{KeyedRequest, PointerSwap, RequestOutcome, SwapBegun, SwapContext, Swapped};

fn request(user: &str, key: &str, lifetime: i64) -> KeyedRequest {
    KeyedRequest {
        user: user.to_owned(),
        key: key.to_owned(),
        fingerprint: format!("what {user} asks"),
        lifetime,
    }
}

async fn finish(scene: &Scene, request: &KeyedRequest, outcome: &RequestOutcome) -> bool {
    let mut write = scene.store.write_uncounted().await.unwrap();
    let kept = write.finish_request(request, outcome).await.unwrap();
    if kept {
        write.commit().await.unwrap();
    }
    kept
}

pub(super) async fn one_of_a_key_ends_once(scene: &Scene) {
    let tree = scene.table().await;
    let ann = request("ann", "k1", 60_000);
    let made = RequestOutcome {
        object: Some(tree.table),
        answer: Some("{}".to_owned()),
        refusal: None,
    };
    let refused = RequestOutcome {
        refusal: Some(409),
        ..RequestOutcome::default()
    };
    assert!(scene.store.finished_request("ann", "k1").await.unwrap().is_none());
    assert!(finish(scene, &ann, &made).await);
    assert!(!finish(scene, &ann, &refused).await, "it has ended");
    let found = scene.store.finished_request("ann", "k1").await.unwrap().unwrap();
    assert_eq!(
        (found.fingerprint.as_str(), &found.outcome),
        ("what ann asks", &made)
    );
    // Keys of users do not meet.
    assert!(scene.store.finished_request("bob", "k1").await.unwrap().is_none());
    assert!(finish(scene, &request("bob", "k1", 60_000), &refused).await);
    let found = scene.store.finished_request("bob", "k1").await.unwrap().unwrap();
    assert_eq!(found.outcome, refused);

    // A write that is dropped leaves its key free, and one that waits for it gets the key.
    let second = request("ann", "k2", 60_000);
    let mut dropped = scene.store.write_uncounted().await.unwrap();
    assert!(dropped.finish_request(&second, &made).await.unwrap());
    let node = scene.node().await;
    let waiting = tokio::spawn({
        let (node, second, refused) = (node.clone(), second.clone(), refused.clone());
        async move {
            let mut write = node.write_uncounted().await.unwrap();
            let kept = write.finish_request(&second, &refused).await.unwrap();
            write.commit().await.unwrap();
            kept
        }
    });
    tokio::task::yield_now().await;
    dropped.rollback().await.unwrap();
    assert!(waiting.await.unwrap());
    let found = scene.store.finished_request("ann", "k2").await.unwrap().unwrap();
    assert_eq!(found.outcome, refused);
}

pub(super) async fn a_request_ends_with_its_commit(scene: &Scene) {
    let tree = scene.table().await;
    let ann = request("ann", "k", 60_000);
    let outcome = RequestOutcome {
        object: Some(tree.table),
        ..RequestOutcome::default()
    };
    let swap = |expected: &str, new: &str| PointerSwap {
        table_id: tree.table,
        expected: expected.to_owned(),
        new: new.to_owned(),
        new_digest: format!("digest of {new}"),
    };
    let context = SwapContext {
        metalake: tree.metalake,
        actor: "ann",
        request: Some(&ann),
        outcome: &outcome,
    };
    let commit = async |expected: &str, new: &str| {
        let begun = scene.store.begin_swap(&[swap(expected, new)], context).await;
        match begun.unwrap() {
            SwapBegun::Open(open) => Swapped::All(open.commit().await.unwrap()),
            SwapBegun::Lost(table) => Swapped::Lost(table),
            SwapBegun::Repeated => Swapped::Repeated,
        }
    };
    // What is lost ends nothing.
    assert_eq!(commit("loc/0", "loc/2").await, Swapped::Lost(tree.table));
    assert!(scene.store.finished_request("ann", "k").await.unwrap().is_none());
    assert!(matches!(commit("loc/1", "loc/2").await, Swapped::All(_)));
    assert_eq!(commit("loc/2", "loc/3").await, Swapped::Repeated);
    let pointer = scene.store.table_pointer(tree.table).await.unwrap().unwrap();
    assert_eq!(pointer.metadata_location, "loc/2");
}

pub(super) async fn expired_keys_are_free(scene: &Scene) {
    let over = request("ann", "k", 0);
    let none = RequestOutcome::default();
    assert!(finish(scene, &over, &none).await);
    assert!(scene.store.finished_request("ann", "k").await.unwrap().is_none());
    // Before anybody cleaned up.
    assert!(finish(scene, &over, &none).await);
    assert!(finish(scene, &request("ann", "other", 60_000), &none).await);
    // What has expired does not count, nor does another's.
    let counted = async |user: &str, most: u32| scene.store.has_finished_requests(user, most).await.unwrap();
    assert!(counted("ann", 1).await);
    assert!(!counted("ann", 2).await);
    assert!(!counted("bob", 1).await);
    assert_eq!(scene.store.forget_finished_requests().await.unwrap(), 1);
    assert_eq!(scene.store.forget_finished_requests().await.unwrap(), 0);
    assert!(
        scene
            .store
            .finished_request("ann", "other")
            .await
            .unwrap()
            .is_some()
    );
}
