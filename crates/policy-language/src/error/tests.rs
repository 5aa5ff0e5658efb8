// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Carets stand under what is meant.

use crate::{RuleHead, check};

fn rendered(source: &str) -> String {
    check(RuleHead::Filter, source).unwrap_err().render(source)
}

#[test]
fn carets_under_a_word() {
    assert_eq!(
        rendered("filter := region == \"US\""),
        "error[syntax/unknown-word]: `region` is not a word of the language; a column is written `col(\"region\")`\n \
         --> 1:11\n  |\n1 | filter := region == \"US\"\n  |           ^^^^^^"
    );
}

#[test]
fn carets_on_a_later_line_after_a_tab() {
    assert_eq!(
        rendered("filter :=\n\tcol(\"é\") == oops"),
        "error[syntax/unknown-word]: `oops` is not a word of the language; a column is written `col(\"oops\")`\n \
         --> 2:14\n  |\n2 | \tcol(\"é\") == oops\n  | \t            ^^^^"
    );
}

#[test]
fn one_caret_past_the_end() {
    assert!(rendered("filter := ").ends_with("1 | filter := \n  |           ^"));
}
