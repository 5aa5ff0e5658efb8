// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every part counts, and none can be mistaken for its neighbour.

use std::collections::HashSet;

use super::CacheIdentity;

const BASE: CacheIdentity<'static> = CacheIdentity {
    metadata: &["location", "all"],
    subject: Some("ann"),
    groups: Some(&["a", "b"]),
    identity_revision: 1,
    policy_revision: 2,
    tag_revision: 3,
    schema_revision: 4,
    restriction_signature: Some("ab"),
    capability: Some("read-restrictions.v1"),
    reader: Some(("gateway", 5)),
};

#[test]
fn every_part_changes_the_tag() {
    let different = [
        BASE,
        CacheIdentity {
            metadata: &["location"],
            ..BASE
        },
        CacheIdentity {
            metadata: &["location", "refs"],
            ..BASE
        },
        CacheIdentity {
            metadata: &["locationall"],
            ..BASE
        },
        CacheIdentity {
            metadata: &["location", "all", ""],
            ..BASE
        },
        CacheIdentity {
            subject: Some("bob"),
            ..BASE
        },
        CacheIdentity {
            subject: Some(""),
            ..BASE
        },
        CacheIdentity {
            subject: None,
            ..BASE
        },
        CacheIdentity {
            groups: Some(&["a"]),
            ..BASE
        },
        CacheIdentity {
            groups: Some(&["ab"]),
            ..BASE
        },
        CacheIdentity {
            groups: Some(&[]),
            ..BASE
        },
        CacheIdentity { groups: None, ..BASE },
        CacheIdentity {
            identity_revision: 2,
            ..BASE
        },
        CacheIdentity {
            policy_revision: 3,
            ..BASE
        },
        CacheIdentity {
            tag_revision: 4,
            ..BASE
        },
        CacheIdentity {
            schema_revision: 5,
            ..BASE
        },
        CacheIdentity {
            identity_revision: 2,
            policy_revision: 1,
            ..BASE
        },
        CacheIdentity {
            restriction_signature: Some("abread-restrictions.v1"),
            capability: None,
            ..BASE
        },
        CacheIdentity {
            restriction_signature: None,
            ..BASE
        },
        CacheIdentity {
            capability: None,
            ..BASE
        },
        CacheIdentity {
            reader: Some(("gateway", 6)),
            ..BASE
        },
        CacheIdentity {
            reader: Some(("", 0)),
            ..BASE
        },
        CacheIdentity { reader: None, ..BASE },
    ];
    let tags: HashSet<String> = different.iter().map(CacheIdentity::etag).collect();
    assert_eq!(tags.len(), different.len());
}

#[test]
fn a_tag_is_a_quoted_digest() {
    let tag = BASE.etag();
    assert_eq!(tag.len(), 66);
    assert!(tag.starts_with('"') && tag.ends_with('"'));
    assert_eq!(tag, BASE.etag());
}
