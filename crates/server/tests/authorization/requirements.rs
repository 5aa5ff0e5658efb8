// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What every mounted route requires, one per line, and that every privilege means something.

use std::collections::BTreeSet;

use lakeward_authorization::{Privilege, Requirement};
use lakeward_server::listing::{all_routes, listing};

use crate::golden;

/// Privileges of kinds that are not served yet. May only shrink.
pub(crate) const NOT_YET: &[Privilege] = &[
    Privilege::CreateTopic,
    Privilege::ConsumeTopic,
    Privilege::ProduceTopic,
    Privilege::CreateFileset,
    Privilege::ReadFileset,
    Privilege::WriteFileset,
    Privilege::RegisterModel,
    Privilege::LinkModelVersion,
    Privilege::UseModel,
    Privilege::RegisterFunction,
    Privilege::ExecuteFunction,
    Privilege::ModifyFunction,
    Privilege::RegisterJobTemplate,
    Privilege::UseJobTemplate,
    Privilege::RunJob,
];

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
