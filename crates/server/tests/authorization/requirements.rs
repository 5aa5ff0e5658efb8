// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What every mounted route requires, one per line, and that every privilege means something.

use std::collections::BTreeSet;

use lakeward_authorization::{Privilege, Requirement};
use lakeward_server::listing::{all_routes, listing};

use crate::golden;

/// Privileges of kinds that are not served yet. May only shrink.
pub(crate) const NOT_YET: &[Privilege] = &[];

#[test]
fn every_route_with_its_requirement() {
    golden::check("requirements.golden", &listing());
}

#[test]
fn every_privilege_is_required_by_an_endpoint() {
    let mut required = BTreeSet::new();
    for mounted in all_routes().mounted() {
        required.extend(mounted.requires.privileges());
        required.extend(mounted.shows.iter().flat_map(Requirement::privileges));
    }
    let idle: Vec<&Privilege> = Privilege::ALL
        .iter()
        .filter(|privilege| !privilege.is_alias() && !required.contains(privilege))
        .collect();
    assert_eq!(idle, NOT_YET.iter().collect::<Vec<_>>());
}

/// The page of privileges is written from their table, so that it cannot say anything else.
#[test]
fn the_page_of_privileges() {
    let mut page = PAGE_HEAD.to_owned();
    for privilege in Privilege::ALL {
        let kinds: Vec<String> = privilege
            .grantable_on()
            .iter()
            .map(|kind| kind.lower_case().replace('_', " "))
            .collect();
        let later = if NOT_YET.contains(&privilege.canonical()) {
            " (later)"
        } else {
            ""
        };
        page.push_str(&format!(
            "| `{privilege}` | {} | {}{later} |\n",
            kinds.join(", "),
            privilege.meaning(),
        ));
    }
    golden::check_at("docs/privileges.md", &page);
}

const PAGE_HEAD: &str = "\
# Privileges

A privilege is given to a role, with `ALLOW` or `DENY`, on an object of one of these kinds, and covers everything beneath
that object. A `DENY` beats every `ALLOW`, in any role and at any level. Ownership of an object or of one above it does
what no privilege names: altering, dropping, handing over. Whatever lies in a catalog and a schema also takes
`USE_CATALOG` and `USE_SCHEMA`. What each route asks for is in `crates/server/tests/authorization/requirements.golden`,
who passes in `matrix.golden` beside it. *Later* means that the privilege can be granted, but no route asks for it yet.

This page is written by `UPDATE_EXPECT=1 cargo test -p lakeward-server --test authorization`.

| Privilege | Grantable on | What it allows |
|---|---|---|
";
