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
