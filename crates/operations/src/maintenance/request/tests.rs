// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What runs are asked for with.

use lakeward_metadata::Properties;

use super::{MAX_FILES, MaintenanceRequest, UNNAMED_AGE_MS};
use crate::error::OperationError;
use crate::maintenance::Maintenance;
use crate::notices::now;

const TABLE: [(&str, &str); 2] = [("catalog_name", "ice"), ("table_identifier", "n1.t")];

fn read(work: Maintenance, parameters: &[(&str, &str)]) -> Result<MaintenanceRequest, OperationError> {
    let parameters = parameters
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    MaintenanceRequest::read(work, "m", &parameters.collect::<Properties>())
}

fn with(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    [&TABLE[..], more].concat()
}

#[test]
fn nothing_is_deleted_unless_that_is_said() {
    let read = |more: &[_]| read(Maintenance::ExpireSnapshots, &with(more)).unwrap();
    let plain = read(&[]);
    assert!(plain.dry_run && !plain.allow_recent);
    assert_eq!(
        (plain.older_than, plain.retain_last, plain.max_files),
        (None, None, MAX_FILES)
    );
    assert_eq!(
        (plain.table.schema.as_str(), plain.table.name.as_str()),
        ("n1", "t")
    );
    assert_eq!(read(&[("older_than", " "), ("retain_last", "")]), plain);
    assert!(read(&[("allow_recent", "true")]).allow_recent);
    let meant = read(&[("dry_run", "FALSE"), ("retain_last", "3"), ("max_files", "7")]);
    assert_eq!(
        (meant.dry_run, meant.retain_last, meant.max_files),
        (false, Some(3), 7)
    );
}

#[test]
fn times_are_written_in_three_ways() {
    for text in [
        "2023-11-14T23:13:20+01:00",
        "2023-11-14 22:13:20",
        "1700000000000",
    ] {
        let read = MaintenanceRequest::read(
            Maintenance::ExpireSnapshots,
            "m",
            &with(&[])
                .into_iter()
                .chain([("older_than", text)])
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        );
        assert_eq!(read.unwrap().older_than, Some(1_700_000_000_000), "{text}");
    }
}

#[test]
fn unnamed_files_are_a_day_old_at_least() {
    for work in [Maintenance::RemoveOrphanFiles, Maintenance::CleanUpMetadataFiles] {
        let before = now() - UNNAMED_AGE_MS;
        let default = read(work, &with(&[])).unwrap().older_than.unwrap();
        assert!((before..=now() - UNNAMED_AGE_MS).contains(&default));
        let recent = (now() - 3_600_000).to_string();
        let parameters = [&TABLE[..], &[("older_than", recent.as_str())]].concat();
        let refused = read(work, &parameters).unwrap_err().to_string();
        assert!(refused.contains("less than 24 hours"), "{refused}");
        let meant = [&parameters[..], &[("allow_recent", "true")]].concat();
        assert_eq!(read(work, &meant).unwrap().older_than, recent.parse().ok());
    }
}

#[test]
fn names_with_dots_are_given_apart() {
    let apart = read(
        Maintenance::ExpireSnapshots,
        &[
            ("catalog_name", "ice"),
            ("schema_name", "a.b"),
            ("table_name", "c.d"),
        ],
    );
    let table = apart.unwrap().table;
    assert_eq!((table.schema.as_str(), table.name.as_str()), ("a.b", "c.d"));
}

#[test]
fn what_is_wrong_is_named() {
    for (parameters, expected) in [
        (vec![("table_identifier", "n1.t")], "`catalog_name` is missing"),
        (vec![("catalog_name", "ice")], "`table_identifier` is needed"),
        (with(&[("table_name", "t")]), "`table_identifier` is needed"),
        (
            vec![("catalog_name", "ice"), ("table_identifier", "t")],
            "`schema.table`",
        ),
        (
            vec![("catalog_name", "ice"), ("table_identifier", "a.b.c")],
            "`schema.table`",
        ),
        (with(&[("older_than", "yesterday")]), "`older_than` is no time"),
        (
            with(&[("older_than", "2999-01-01T00:00:00Z")]),
            "`older_than` lies in the future",
        ),
        (
            with(&[("retain_last", "0")]),
            "`retain_last` is no positive number",
        ),
        (with(&[("max_files", "-1")]), "`max_files` is no positive number"),
        (
            with(&[("max_files", "99999999999999999999")]),
            "`max_files` is no positive number",
        ),
        (with(&[("max_files", "1000001")]), "`max_files` is more than"),
        (with(&[("dry_run", "no")]), "`dry_run` is neither"),
        (with(&[("allow_recent", "no")]), "`allow_recent` is neither"),
        (with(&[("spark_conf", "{}")]), "`spark_conf` is no parameter"),
    ] {
        let refused = read(Maintenance::ExpireSnapshots, &parameters)
            .unwrap_err()
            .to_string();
        assert!(refused.contains(expected), "{refused}");
    }
}
