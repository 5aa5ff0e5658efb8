// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Random histories of a catalog: what can happen to objects, tags, assignments and policies on tags.
//!
//! Names come from small pools, so that what is dropped soon comes back under its old name.

use proptest::prelude::*;
use proptest::sample::select;

pub(crate) const SCHEMAS: [&str; 5] = ["a", "b", "a:x", "a:y", "a:x:z"];
pub(crate) const TABLES: [&str; 2] = ["t", "u"];
pub(crate) const COLUMNS: [&str; 3] = ["c", "d", "e"];
pub(crate) const TAGS: [&str; 3] = ["p", "q", "r"];
pub(crate) const VALUES: [&str; 2] = ["v", "w"];
/// Two masks and a filter, switched off, so that the history itself is never restricted; and one that is switched on.
pub(crate) const POLICIES: [(&str, &str); 4] = [
    ("mask1", "system_column_mask"),
    ("mask2", "system_column_mask"),
    ("none", "system_row_filter"),
    ("plain", "custom"),
];

/// A schema by its full name, and a table in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableName {
    pub(crate) schema: &'static str,
    pub(crate) table: &'static str,
}

/// What a tag can be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Catalog,
    Schema(&'static str),
    Table(TableName),
    Column(TableName, &'static str),
}

/// One thing that happens, or is refused where it cannot.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    RenameCatalog,
    CreateSchema(&'static str),
    DropSchema(&'static str),
    CreateTable(TableName),
    DropTable(TableName),
    MoveTable(TableName, TableName),
    AddColumn(TableName, &'static str),
    RenameColumn(TableName, &'static str, &'static str),
    DropColumn(TableName, &'static str),
    CreateTag(&'static str),
    DropTag(&'static str),
    RenameTag(&'static str, &'static str),
    /// By the API of names: without a value.
    AssignName(Place, &'static str),
    /// By the API of names: all values of the tag.
    UnassignName(Place, &'static str),
    /// By the API of values: one value more.
    AssignValue(Place, &'static str, &'static str),
    /// By the API of values: one value less.
    UnassignValue(Place, &'static str, &'static str),
    /// A policy onto a tag, for one value or all of them.
    Bind(&'static str, &'static str, Option<&'static str>),
    Unbind(&'static str, &'static str),
}

fn table() -> impl Strategy<Value = TableName> {
    (select(&SCHEMAS[..]), select(&TABLES[..])).prop_map(|(schema, table)| TableName { schema, table })
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        1 => Just(Place::Catalog),
        3 => select(&SCHEMAS[..]).prop_map(Place::Schema),
        3 => table().prop_map(Place::Table),
        4 => (table(), select(&COLUMNS[..])).prop_map(|(table, column)| Place::Column(table, column)),
    ]
}

/// Any step; assignments are the most frequent.
pub(crate) fn step() -> impl Strategy<Value = Step> {
    let schema = || select(&SCHEMAS[..]);
    let column = || select(&COLUMNS[..]);
    let tag = || select(&TAGS[..]);
    let value = || select(&VALUES[..]);
    let policy = || select(&POLICIES[..]).prop_map(|(name, _)| name);
    let objects = prop_oneof![
        1 => Just(Step::RenameCatalog),
        4 => schema().prop_map(Step::CreateSchema),
        2 => schema().prop_map(Step::DropSchema),
        6 => table().prop_map(Step::CreateTable),
        3 => table().prop_map(Step::DropTable),
        6 => (table(), table()).prop_map(|(from, to)| Step::MoveTable(from, to)),
        4 => (table(), column()).prop_map(|(table, column)| Step::AddColumn(table, column)),
        4 => (table(), column(), column()).prop_map(|(table, from, to)| Step::RenameColumn(table, from, to)),
        4 => (table(), column()).prop_map(|(table, column)| Step::DropColumn(table, column)),
    ];
    let governance = prop_oneof![
        3 => tag().prop_map(Step::CreateTag),
        2 => tag().prop_map(Step::DropTag),
        2 => (tag(), tag()).prop_map(|(from, to)| Step::RenameTag(from, to)),
        6 => (place(), tag()).prop_map(|(place, tag)| Step::AssignName(place, tag)),
        3 => (place(), tag()).prop_map(|(place, tag)| Step::UnassignName(place, tag)),
        14 => (place(), tag(), value()).prop_map(|(place, tag, value)| Step::AssignValue(place, tag, value)),
        3 => (place(), tag(), value()).prop_map(|(place, tag, value)| Step::UnassignValue(place, tag, value)),
        4 => (policy(), tag(), proptest::option::of(value()))
            .prop_map(|(policy, tag, value)| Step::Bind(policy, tag, value)),
        2 => (policy(), tag()).prop_map(|(policy, tag)| Step::Unbind(policy, tag)),
    ];
    prop_oneof![1 => objects, 1 => governance]
}

/// Where every history begins: something to happen to.
pub(crate) fn beginning() -> Vec<Step> {
    let table = |schema, table| TableName { schema, table };
    let mut steps: Vec<Step> = TAGS.into_iter().map(Step::CreateTag).collect();
    steps.extend(["a:x", "b"].map(Step::CreateSchema));
    steps.extend([table("a", "t"), table("a:x", "u"), table("b", "t")].map(Step::CreateTable));
    steps.extend([
        Step::Bind("mask1", "p", None),
        Step::Bind("mask2", "q", Some("v")),
        Step::Bind("none", "q", None),
        Step::Bind("plain", "r", Some("w")),
    ]);
    steps
}
