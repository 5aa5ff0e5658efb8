// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whole queries over real tables, as a user sees them.

mod column_types;
mod deletes;
mod evolution;
mod explain;
mod fixtures;
mod large_results;
mod masked_copy;
mod nested;
mod nesting;
mod odd_queries;
mod partitions;
mod refusals;
mod sampling;
mod skipping;
mod spilling;
mod time_travel;

use std::sync::Arc;

use arrow::util::pretty::pretty_format_batches;
use datafusion::catalog::MemoryCatalogProviderList;

use super::resources::Share;
use super::{
    Answer, ParsedStatement, Relation, RunningQuery, SessionOptions, only_queries, query_error, run, sandbox,
};
use crate::error::ReaderError;
use crate::load_table;
use crate::salt::random_salt;
use crate::table_name::TableName;
use crate::views::Expanded;

/// Runs a query over tables `c.s.NAME`, given as a server's answers.
async fn ask(sql: &str, tables: &[(&str, &str)]) -> Result<Answer, ReaderError> {
    start(sql, tables, None).await?.collect(None).await
}

/// Starts it within a share of resources.
async fn start(
    sql: &str,
    tables: &[(&str, &str)],
    share: Option<Share>,
) -> Result<RunningQuery, ReaderError> {
    let options = SessionOptions {
        default_catalog: Some("c".to_owned()),
        default_schema: Some("s".to_owned()),
        share,
        ..SessionOptions::default()
    };
    let state = sandbox::state(&options, Arc::new(MemoryCatalogProviderList::new()))?;
    let parsed = ParsedStatement::parse(sql)?;
    super::show::shown(&parsed.statement)?;
    only_queries(&parsed.statement)?;
    let salt = random_salt()?;
    let mut relations = Vec::new();
    for reference in state
        .resolve_table_references(&parsed.statement)
        .map_err(query_error)?
    {
        let (plain, version) = parsed.meaning(&reference);
        let name = TableName::resolve(&plain, Some("c"), Some("s"))?;
        let Some((_, body)) = tables.iter().find(|(known, _)| *known == name.table) else {
            continue;
        };
        let loaded = load_table::parse(&name, body)?;
        let source = Expanded::table(&name, loaded, &version, &salt)?;
        relations.push(Relation { reference, source });
    }
    run(&state, parsed.statement, relations).await
}

/// The rows as text, one line each, sorted unless the query orders them.
async fn rows(sql: &str, tables: &[(&str, &str)]) -> Vec<String> {
    let answer = ask(sql, tables).await.unwrap();
    let text = pretty_format_batches(&answer.batches).unwrap().to_string();
    let mut lines: Vec<String> = text
        .lines()
        .skip(3)
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    if !sql.to_lowercase().contains("order by") {
        lines.sort();
    }
    lines
}
