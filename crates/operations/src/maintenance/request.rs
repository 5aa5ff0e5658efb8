// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The parameters of a run of maintenance.

use lakeward_metadata::Properties;
use lakeward_metadata::instant::instant_of;

use super::Maintenance;
use crate::error::OperationError;
use crate::notices::now;
use crate::paths::{SchemaPath, TablePath};

/// How old an unnamed file must be where nobody says: three days, as Iceberg's own procedure has it.
const UNNAMED_AGE_MS: i64 = 3 * DAY_MS;
/// How old it must be at least: a writer that is slower than this loses what it wrote before its commit.
const LEAST_UNNAMED_AGE_MS: i64 = DAY_MS;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// How many files one run deletes where nobody says, and at most.
const MAX_FILES: usize = 100_000;
const MOST_FILES: usize = 1_000_000;

/// One run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MaintenanceRequest {
    /// What is done.
    pub(crate) work: Maintenance,
    /// With which table.
    pub(crate) table: TablePath,
    /// Only what is older goes, epoch milliseconds; `None` for what the table says of its snapshots.
    pub(crate) older_than: Option<i64>,
    /// How many snapshots of each branch stay; `None` for what the table says.
    pub(crate) retain_last: Option<u64>,
    /// Whether what is younger than 24 hours may go that a writer may be about to name.
    pub(crate) allow_recent: bool,
    /// How many files are deleted at most.
    pub(crate) max_files: usize,
    /// Whether it is only said what would be done.
    pub(crate) dry_run: bool,
}

impl MaintenanceRequest {
    /// Reads the parameters of a run. One that is empty counts as not given, as clients send those they have no value for.
    ///
    /// # Errors
    /// [`OperationError::Invalid`], which names the parameter.
    pub(crate) fn read(
        work: Maintenance,
        metalake: &str,
        parameters: &Properties,
    ) -> Result<Self, OperationError> {
        if let Some(unknown) = parameters
            .keys()
            .find(|name| !work.parameters().contains(&name.as_str()))
        {
            return Err(wrong(
                unknown,
                &format!(
                    "is no parameter of `{}`; it has {}",
                    work.template(),
                    work.parameters().join(", ")
                ),
            ));
        }
        let given = |name: &str| {
            let value = parameters.get(name).map(|value| value.trim());
            value.filter(|value| !value.is_empty())
        };
        let now = now();
        let older_than = given("older_than").map(time).transpose()?;
        if older_than.is_some_and(|time| time > now) {
            return Err(wrong("older_than", "lies in the future"));
        }
        let allow_recent = flag("allow_recent", given("allow_recent"), false)?;
        let older_than = match work {
            Maintenance::ExpireSnapshots => older_than,
            Maintenance::RemoveOrphanFiles | Maintenance::CleanUpMetadataFiles => {
                let is_recent = older_than.is_some_and(|time| time > now - LEAST_UNNAMED_AGE_MS);
                if is_recent && !allow_recent {
                    return Err(wrong(
                        "older_than",
                        "is less than 24 hours ago: files of a commit that is being made would be deleted; if nobody \
                         writes to the table, say `allow_recent` = `true`",
                    ));
                }
                Some(older_than.unwrap_or(now - UNNAMED_AGE_MS))
            }
        };
        let retain_last = given("retain_last")
            .map(|text| count("retain_last", text))
            .transpose()?;
        let max_files = given("max_files")
            .map(|text| count("max_files", text))
            .transpose()?;
        let max_files = max_files.map_or(MAX_FILES, |number| usize::try_from(number).unwrap_or(MOST_FILES));
        if max_files > MOST_FILES {
            return Err(wrong("max_files", &format!("is more than {MOST_FILES}")));
        }
        Ok(Self {
            work,
            table: table(metalake, &given)?,
            older_than,
            retain_last,
            allow_recent,
            max_files,
            // What destroys is asked for, never assumed.
            dry_run: flag("dry_run", given("dry_run"), true)?,
        })
    }
}

/// The table: `table_identifier` as the original has it, or schema and table apart, for names with a dot.
fn table<'a>(metalake: &str, given: &impl Fn(&str) -> Option<&'a str>) -> Result<TablePath, OperationError> {
    let catalog = given("catalog_name").ok_or_else(|| wrong("catalog_name", "is missing"))?;
    let (schema, table) = match (
        given("table_identifier"),
        given("schema_name"),
        given("table_name"),
    ) {
        (Some(identifier), None, None) => {
            let two = identifier.split_once('.');
            let two = two.filter(|(schema, table)| ![*schema, *table].contains(&"") && !table.contains('.'));
            let (schema, table) = two.ok_or_else(|| {
                wrong(
                    "table_identifier",
                    "must be `schema.table`; where a name has a dot, give `schema_name` and `table_name` instead",
                )
            })?;
            (schema.to_owned(), table.to_owned())
        }
        (None, Some(schema), Some(table)) => (schema.to_owned(), table.to_owned()),
        _ => {
            return Err(wrong(
                "table_identifier",
                "is needed, or both `schema_name` and `table_name`, and not all of them",
            ));
        }
    };
    let schema = SchemaPath {
        metalake: metalake.to_owned(),
        catalog: catalog.to_owned(),
        schema,
    };
    Ok(schema.leaf(&table))
}

/// A time: RFC 3339, the original's `2024-01-01 00:00:00` (here in UTC), or epoch milliseconds.
fn time(text: &str) -> Result<i64, OperationError> {
    let of_original = || instant_of(&format!("{}Z", text.replacen(' ', "T", 1)));
    instant_of(text)
        .or_else(of_original)
        .or_else(|| text.parse().ok().filter(|time| *time >= 0))
        .ok_or_else(|| {
            wrong(
                "older_than",
                "is no time; write `2026-01-31T12:00:00Z`, `2026-01-31 12:00:00` (UTC) or epoch milliseconds",
            )
        })
}

fn count(name: &str, text: &str) -> Result<u64, OperationError> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .ok_or_else(|| wrong(name, "is no positive number"))
}

fn flag(name: &str, value: Option<&str>, default: bool) -> Result<bool, OperationError> {
    value.map_or(Ok(default), |text| {
        text.to_ascii_lowercase()
            .parse()
            .map_err(|_| wrong(name, "is neither `true` nor `false`"))
    })
}

fn wrong(parameter: &str, flaw: &str) -> OperationError {
    OperationError::invalid(format!("`jobConf`: `{parameter}` {flaw}"))
}

#[cfg(test)]
mod tests;
