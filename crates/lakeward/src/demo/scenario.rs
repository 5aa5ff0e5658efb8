// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is governed, for whom, and which query shows it.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Context;
use arrow::array::AsArray;
use arrow::datatypes::DataType;

use super::files;
use super::source::Source;
use super::tpch;

/// The metalake of the demonstration.
pub(super) const METALAKE: &str = "demo";
/// Its catalog.
pub(super) const CATALOG: &str = "shop";
/// The tag on the table whose rows are filtered.
pub(super) const TABLE_TAG: &str = "duty";
/// The tag on columns with personal data.
pub(super) const COLUMN_TAG: &str = "personal";

/// A user of the demonstration and the group that decides what they see.
#[derive(Debug, Clone, Copy)]
pub(super) struct Person {
    pub(super) name: &'static str,
    pub(super) group: &'static str,
}

/// Who asks the query.
pub(super) const PEOPLE: [Person; 3] = [
    Person {
        name: "ann",
        group: "compliance",
    },
    Person {
        name: "bob",
        group: "sales",
    },
    Person {
        name: "cleo",
        group: "collections",
    },
];

/// One column that is masked.
#[derive(Debug, Clone)]
pub(super) struct MaskedColumn {
    pub(super) table: String,
    pub(super) column: String,
}

/// Everything that differs between TPC-H and a user's own files.
pub(super) struct Scenario {
    pub(super) schema: &'static str,
    pub(super) sources: Vec<Source>,
    /// The table whose rows are filtered.
    pub(super) table: String,
    /// The value of both tags; policies select by it.
    pub(super) value: String,
    pub(super) row_policy: String,
    pub(super) row_expression: String,
    pub(super) mask_policy: String,
    pub(super) mask_expression: String,
    pub(super) masked: Vec<MaskedColumn>,
    pub(super) query: String,
}

impl Scenario {
    /// TPC-H, or the user's own files.
    pub(super) fn new(data: &[PathBuf]) -> anyhow::Result<Self> {
        if data.is_empty() {
            Ok(Self::tpch())
        } else {
            Self::own(data)
        }
    }

    /// `catalog.schema.table`
    pub(super) fn full_name(&self, table: &str) -> String {
        format!("{CATALOG}.{}.{table}", self.schema)
    }

    fn tpch() -> Self {
        let masked = [
            ("customer", "c_phone"),
            ("customer", "c_address"),
            ("orders", "o_clerk"),
        ];
        Self {
            schema: "tpch",
            sources: tpch::sources(),
            table: "customer".to_owned(),
            value: "customers".to_owned(),
            row_policy: "customers-by-duty".to_owned(),
            row_expression: concat!(
                "filter := true if is_group_member(\"compliance\")\n",
                "  else := col(\"c_mktsegment\") == \"MACHINERY\" if is_group_member(\"sales\")\n",
                "  else := col(\"c_acctbal\") < 0"
            )
            .to_owned(),
            mask_policy: "hide-personal-data".to_owned(),
            mask_expression: text_mask(),
            masked: masked
                .iter()
                .map(|(table, column)| MaskedColumn {
                    table: (*table).to_owned(),
                    column: (*column).to_owned(),
                })
                .collect(),
            query: format!(
                "SELECT n_name AS nation, count(*) AS customers, max(c_phone) AS phone\n\
                 FROM {CATALOG}.tpch.customer JOIN {CATALOG}.tpch.nation ON c_nationkey = n_nationkey\n\
                 GROUP BY n_name ORDER BY customers DESC, nation LIMIT 6"
            ),
        }
    }

    fn own(data: &[PathBuf]) -> anyhow::Result<Self> {
        let first = data.first().context("no file is given")?;
        let profile = Profile::of(files::source(first)?)?;
        let sources = data
            .iter()
            .map(|path| files::source(path))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let table = sources
            .first()
            .map(|source| source.table.clone())
            .unwrap_or_default();
        let (groups, column) = match &profile.grouped {
            Some((column, value)) => (Some((column.clone(), value.clone())), column.clone()),
            None => (None, String::new()),
        };
        let row_expression = match &groups {
            Some((column, value)) => {
                let test = format!("col({}) == {}", quoted(column), quoted(value));
                format!(
                    "filter := true if is_group_member(\"compliance\")\n  \
                     else := {test} if is_group_member(\"sales\")\n  else := not ({test})"
                )
            }
            None => "filter := true if is_group_member(\"compliance\")\n  else := false".to_owned(),
        };
        let masked = profile.personal.as_ref();
        let from = format!("FROM {CATALOG}.files.{table}");
        let example = masked.map_or_else(String::new, |(column, _)| {
            format!(", max({}) AS example", identifier(column))
        });
        let query = if column.is_empty() {
            format!("SELECT count(*) AS rows{example}\n{from}")
        } else {
            let column = identifier(&column);
            format!(
                "SELECT {column}, count(*) AS rows{example}\n{from}\n\
                 GROUP BY {column} ORDER BY rows DESC, {column} LIMIT 6"
            )
        };
        Ok(Self {
            schema: "files",
            value: table.clone(),
            row_policy: format!("{table}-by-duty"),
            row_expression,
            mask_policy: format!("{table}-personal-data"),
            mask_expression: masked.map_or_else(text_mask, |(_, data_type)| mask_for(data_type)),
            masked: masked
                .map(|(column, _)| MaskedColumn {
                    table: table.clone(),
                    column: column.clone(),
                })
                .into_iter()
                .collect(),
            table,
            sources,
            query,
        })
    }
}

fn text_mask() -> String {
    "mask := action(\"show-last-4\") if is_group_member(\"collections\")\n  else := action(\"mask-alphanum\")"
        .to_owned()
}

fn mask_for(data_type: &DataType) -> String {
    if data_type == &DataType::Utf8 {
        text_mask()
    } else if matches!(data_type, DataType::Date32 | DataType::Timestamp(..)) {
        "mask := action(\"truncate-to-month\") if is_group_member(\"collections\")\n  else := action(\"truncate-to-year\")"
            .to_owned()
    } else {
        "mask := action(\"replace-with-null\")".to_owned()
    }
}

/// A string of the policy language; it has JSON's escapes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A quoted name in SQL.
fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What the first rows of a file say about its columns.
struct Profile {
    /// A column of few texts, and its most frequent one.
    grouped: Option<(String, String)>,
    /// The column that looks most personal, with its type.
    personal: Option<(String, DataType)>,
}

impl Profile {
    const ROWS: usize = 50_000;
    const FEW: usize = 50;

    fn of(source: Source) -> anyhow::Result<Self> {
        let schema = source.schema;
        let mut counts: Vec<HashMap<String, usize>> = vec![HashMap::new(); schema.fields().len()];
        let mut rows = 0;
        for batch in source.batches {
            let batch = batch?;
            for (column, counts) in batch.columns().iter().zip(&mut counts) {
                if let Some(texts) = column.as_string_opt::<i32>() {
                    for text in texts.iter().flatten() {
                        *counts.entry(text.to_owned()).or_default() += 1;
                    }
                }
            }
            rows += batch.num_rows();
            if rows >= Self::ROWS {
                break;
            }
        }
        // Names with dots cannot be told from paths.
        let usable = || {
            schema
                .fields()
                .iter()
                .zip(&counts)
                .filter(|(field, _)| !field.name().contains('.'))
        };
        let grouped = usable()
            .filter(|(_, counts)| (2..=Self::FEW).contains(&counts.len()))
            .min_by_key(|(_, counts)| counts.len())
            .and_then(|(field, counts)| {
                let frequent = counts
                    .iter()
                    .max_by_key(|(text, count)| (**count, (*text).clone()))?;
                Some((field.name().clone(), frequent.0.clone()))
            });
        let is_grouped = |name: &str| grouped.as_ref().is_some_and(|(column, _)| column == name);
        let personal = usable()
            .filter(|(field, _)| !is_grouped(field.name()))
            .max_by_key(|(field, counts)| (field.data_type() == &DataType::Utf8, counts.len()))
            .map(|(field, _)| (field.name().clone(), field.data_type().clone()));
        Ok(Self { grouped, personal })
    }
}

#[cfg(test)]
mod tests {
    use super::Scenario;

    #[test]
    fn a_file_of_ones_own_gets_policies_that_fit_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trips.csv");
        let mut text = String::from("id,city,rider\n");
        for row in 0..100 {
            let city = if row % 3 == 0 { "Oslo \"S\"" } else { "Bergen" };
            text.push_str(&format!("{row},\"{}\",rider{row}\n", city.replace('"', "\"\"")));
        }
        std::fs::write(&path, text).unwrap();
        let scenario = Scenario::new(&[path]).unwrap();
        assert!(
            scenario.row_expression.contains("col(\"city\") == \"Bergen\""),
            "{}",
            scenario.row_expression
        );
        let masked: Vec<_> = scenario
            .masked
            .iter()
            .map(|masked| masked.column.as_str())
            .collect();
        assert_eq!(masked, ["rider"]);
        assert!(scenario.query.contains("GROUP BY \"city\""), "{}", scenario.query);
    }

    #[test]
    fn the_expressions_are_of_the_policy_language() {
        use lakeward_policy_language::{RuleHead, check};
        let scenario = Scenario::new(&[]).unwrap();
        check(RuleHead::Filter, &scenario.row_expression).unwrap();
        check(RuleHead::Mask, &scenario.mask_expression).unwrap();
    }
}
