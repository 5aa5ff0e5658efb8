// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What SQL can be written here, for tools that ask before they write any. It is read from the engine that queries get,
//! so that nothing is promised that a query does not find.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::DATAFUSION_VERSION;
use datafusion::catalog::MemoryCatalogProviderList;
use datafusion::logical_expr::Documentation;
use datafusion::sql::sqlparser::keywords::ALL_KEYWORDS;

use super::{SessionOptions, sandbox};
use crate::error::ReaderError;

/// The engine's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    /// Its version.
    pub version: &'static str,
    /// The words that mean something in a statement, in capitals.
    pub keywords: Vec<String>,
    /// Functions of numbers, aggregates among them.
    pub numeric_functions: Vec<String>,
    /// Functions of texts and bytes.
    pub string_functions: Vec<String>,
    /// Functions of dates and times.
    pub datetime_functions: Vec<String>,
    /// All others: conditions, nested values, windows.
    pub system_functions: Vec<String>,
}

impl Engine {
    /// The engine of every session.
    ///
    /// # Errors
    /// [`ReaderError::Query`] when no engine can be made.
    pub fn describe() -> Result<Self, ReaderError> {
        let state = sandbox::state(
            &SessionOptions::default(),
            Arc::new(MemoryCatalogProviderList::new()),
        )?;
        let mut numeric = BTreeSet::new();
        let mut string = BTreeSet::new();
        let mut datetime = BTreeSet::new();
        let mut system = BTreeSet::new();
        let scalar = state.scalar_functions().iter();
        let scalar = scalar.map(|(name, function)| (name, section(function.documentation())));
        let aggregate = state
            .aggregate_functions()
            .keys()
            .map(|name| (name, "Math Functions"));
        let window = state.window_functions().keys().map(|name| (name, ""));
        for (name, section) in scalar.chain(aggregate).chain(window) {
            let group = match section {
                "Math Functions" => &mut numeric,
                "String Functions"
                | "Binary String Functions"
                | "Regular Expression Functions"
                | "Hashing Functions" => &mut string,
                "Time and Date Functions" => &mut datetime,
                _ => &mut system,
            };
            group.insert(name.clone());
        }
        Ok(Self {
            version: DATAFUSION_VERSION,
            keywords: ALL_KEYWORDS.iter().map(|&word| word.to_owned()).collect(),
            numeric_functions: numeric.into_iter().collect(),
            string_functions: string.into_iter().collect(),
            datetime_functions: datetime.into_iter().collect(),
            system_functions: system.into_iter().collect(),
        })
    }
}

fn section(documentation: Option<&Documentation>) -> &'static str {
    documentation.map_or("", |documentation| documentation.doc_section.label)
}

#[cfg(test)]
mod tests {
    use super::Engine;

    #[test]
    fn functions_are_grouped_and_named_once() {
        let engine = Engine::describe().unwrap();
        for (group, names) in [
            (&engine.numeric_functions, ["abs", "sum"]),
            (&engine.string_functions, ["upper", "sha256"]),
            (&engine.datetime_functions, ["date_trunc", "now"]),
            (&engine.system_functions, ["coalesce", "row_number"]),
        ] {
            for name in names {
                assert!(group.iter().any(|known| known == name), "{name}");
            }
        }
        assert!(engine.keywords.iter().any(|word| word == "SELECT"));
        // The list is joined by commas.
        let all = [
            &engine.keywords,
            &engine.numeric_functions,
            &engine.system_functions,
        ];
        assert!(all.into_iter().flatten().all(|word| !word.contains(',')));
    }
}
