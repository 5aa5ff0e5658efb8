// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The examples of `docs/policies.md` are what they say they are.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use lakeward_policy_language::{RuleHead, check};

const PAGE: &str = include_str!("../../../docs/policies.md");

/// The fenced blocks of the page whose info string begins with `policy`, with that string.
fn examples() -> Vec<(&'static str, &'static str)> {
    PAGE.split("\n```policy")
        .skip(1)
        .map(|rest| {
            let (info, rest) = rest.split_once('\n').unwrap();
            (info, rest.split_once("\n```").unwrap().0)
        })
        .collect()
}

#[test]
fn examples_are_accepted_or_refused_as_the_page_says() {
    let mut accepted = 0;
    let mut refused = 0;
    for (info, source) in examples() {
        let head = if source.starts_with("mask") {
            RuleHead::Mask
        } else {
            RuleHead::Filter
        };
        match (check(head, source), info.strip_prefix("-error ")) {
            (Ok(_), None) => accepted += 1,
            (Err(error), Some(code)) => {
                assert_eq!(error.code, code, "{source}");
                refused += 1;
            }
            (found, expected) => panic!("{source}: {found:?}, expected {expected:?}"),
        }
    }
    assert!(
        accepted >= 6 && refused >= 4,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn every_action_is_described() {
    for action in lakeward_read_restrictions::action::MaskAction::ALL {
        assert!(PAGE.contains(&format!("`{action}`")), "{action}");
    }
}
