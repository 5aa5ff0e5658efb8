// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Notices are few, are kept, and come again when they could not be.

use lakeward_catalog::registry::Registry;
use lakeward_store::{ReaderChannel, Store, StoreOptions, StoreUrl};

use super::*;
use crate::OperationSettings;

fn reader(revision: i64) -> TrustedReader {
    TrustedReader {
        name: "r".to_owned(),
        revision,
    }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn what_is_the_same_is_noticed_once_in_its_time() {
    let notices = Notices::default();
    for at in [0, 1, LOAD_EVERY_MILLIS - 1] {
        notices.load_through_at(&reader(1), at);
    }
    assert_eq!(
        notices.take().loads,
        BTreeMap::from([("r".to_owned(), Load { revision: 1, at: 0 })])
    );
    notices.load_through_at(&reader(1), LOAD_EVERY_MILLIS);
    assert_eq!(notices.take().loads.len(), 1);
    notices.load_through_at(&reader(2), LOAD_EVERY_MILLIS + 1);
    assert_eq!(notices.take().loads.len(), 1, "a reader that is enrolled anew");

    let seen = |at, groups: &[&str]| {
        notices.groups_at("ann", &names(groups), at);
        notices.take().groups.len()
    };
    assert_eq!(seen(0, &["a"]), 1);
    assert_eq!(seen(1, &["a"]), 0);
    assert_eq!(seen(2, &["a", "b"]), 1, "a change is noticed at once");
    assert_eq!(seen(2 + GROUPS_EVERY_MILLIS, &["a", "b"]), 1);
}

#[tokio::test]
async fn notices_are_kept_or_come_again() {
    let store = Store::open(&StoreUrl::Memory, StoreOptions::default())
        .await
        .unwrap();
    let operations = Operations::new(store.clone(), Registry::default(), OperationSettings::default());
    let mut write = store.write_server("root").await.unwrap();
    write
        .put_reader("r", ReaderChannel::Actor, "x", false)
        .await
        .unwrap();
    write.commit().await.unwrap();
    let ann = |groups| Subject {
        user: "ann".to_owned(),
        groups,
    };
    operations.notice_groups(&ann(GroupClaim::Known(names(&["hr"]))));
    operations.notice_groups(&ann(GroupClaim::Unknown));
    operations.notices().load_through(&reader(1));
    operations.something_noticed().await;
    operations.keep_notices().await.unwrap();
    operations.keep_notices().await.unwrap();
    let mut snapshot = store.snapshot().await.unwrap();
    let seen = snapshot.seen_groups("ann").await.unwrap().unwrap();
    assert_eq!(seen.groups, names(&["hr"]));
    let reader = snapshot.reader("r").await.unwrap().unwrap();
    assert!(reader.last_load_at.is_some());
    drop(snapshot);

    operations.notice_groups(&ann(GroupClaim::Known(names(&[]))));
    store.close().await;
    assert!(operations.keep_notices().await.is_err());
    operations.notice_groups(&ann(GroupClaim::Known(names(&[]))));
    assert_eq!(operations.notices().take().groups.len(), 1);
}
