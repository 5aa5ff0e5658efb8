// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Bytes that are no text; the fixtures say the rest.

use proptest::prelude::*;

use super::Capabilities;

#[test]
fn bytes_that_are_no_text_declare_nothing() {
    for line in [
        &b"read-restrictions.v1,\xff"[..],
        b"\xff",
        b"read-restrictions.v1\0",
        b"\xc2\xa0read-restrictions.v1",
    ] {
        assert_eq!(Capabilities::parse(&[line]), Capabilities::default());
    }
}

#[test]
fn two_headers_are_read_apart_and_declare_together() {
    let check = |left: &[u8], right: &[u8], expected: &[&str]| {
        let both = Capabilities::parse(&[left]).union(Capabilities::parse(&[right]));
        assert_eq!(both.declared().collect::<Vec<_>>(), expected);
    };
    check(
        b"a.v1",
        b"read-restrictions.v1,a.v1",
        &["a.v1", "read-restrictions.v1"],
    );
    check(b"read-restrictions.v1", b"No Token", &["read-restrictions.v1"]);
    check(b"", b"read-restrictions.v1", &["read-restrictions.v1"]);
    check(b"No Token", b"", &[]);
}

proptest! {
    #[test]
    fn never_panics_and_lines_join_with_commas(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..4)) {
        let borrowed: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        let separate = Capabilities::parse(&borrowed);
        if !lines.is_empty() {
            prop_assert_eq!(separate, Capabilities::parse(&[&lines.join(&b','.to_owned())]));
        }
    }
}
