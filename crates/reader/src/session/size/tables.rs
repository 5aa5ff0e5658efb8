// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! To how many tables a statement comes when the names of its `WITH`s are put in.
//!
//! Names that stand for each other twice double with each. The engine puts them in while it plans and walks through the
//! whole on the way, in one step that no time limit interrupts, so they are counted in the tree of the text.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Query, Statement, TableFactor, Visit, Visitor};

use crate::error::ReaderError;
use crate::session::time_travel::normalized;

/// The most tables of a statement, those of `WITH` counted as often as they are named.
const MOST: usize = 1024;

/// Refuses a statement of too many tables.
///
/// # Errors
/// [`ReaderError::Statement`].
pub(crate) fn check_tables(statement: &Statement) -> Result<(), ReaderError> {
    fits(statement, MOST).map_err(ReaderError::Statement)
}

fn fits(statement: &Statement, most: usize) -> Result<(), String> {
    let mut count = Count {
        tables_of: HashMap::new(),
        named: HashMap::new(),
        open: vec![0],
        most,
    };
    match statement.visit(&mut count) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(format!(
            "the statement comes to more than {most} tables, each name of `WITH` counted as often as it is used; split it"
        )),
    }
}

struct Count {
    /// What names of `WITH` come to; of a name that is there twice, the most.
    tables_of: HashMap<String, usize>,
    /// Queries that are ahead and have a name, by where they lie in the tree.
    named: HashMap<*const Query, String>,
    /// Of each query that is open, the tables in it.
    open: Vec<usize>,
    most: usize,
}

impl Count {
    fn add(&mut self, tables: usize) -> ControlFlow<()> {
        let most = self.most;
        match self.open.last_mut() {
            Some(sum) => {
                *sum = sum.saturating_add(tables);
                if *sum > most {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }
}

impl Visitor for Count {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.named.insert(
                std::ptr::from_ref(cte.query.as_ref()),
                normalized(&cte.alias.name),
            );
        }
        self.open.push(0);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let tables = self.open.pop().unwrap_or_default();
        match self.named.remove(&std::ptr::from_ref(query)) {
            Some(name) => {
                let known = self.tables_of.entry(name).or_default();
                *known = tables.max(*known);
                ControlFlow::Continue(())
            }
            None => self.add(tables),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        let TableFactor::Table { name, .. } = factor else {
            return ControlFlow::Continue(());
        };
        let named = match name.0.as_slice() {
            [only] => only.as_ident().map(normalized),
            _ => None,
        };
        let tables = named.and_then(|name| self.tables_of.get(&name)).copied();
        self.add(tables.unwrap_or(1).max(1))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::sql::sqlparser::dialect::GenericDialect;
    use datafusion::sql::sqlparser::parser::Parser;

    use super::fits;

    fn tables(sql: &str, most: usize) -> Result<(), String> {
        let parsed = Parser::parse_sql(&GenericDialect {}, sql).unwrap();
        fits(parsed.first().unwrap(), most)
    }

    #[test]
    fn names_of_with_count_as_often_as_they_are_put_in() {
        let doubled = |levels: usize| {
            let parts: Vec<String> = (1..=levels)
                .map(|level| format!("c{level} AS (SELECT a.x FROM c{0} a, C{0} b)", level - 1))
                .collect();
            format!(
                "WITH c0 AS (SELECT x FROM t), {} SELECT x FROM c{levels}",
                parts.join(", ")
            )
        };
        assert!(tables(&doubled(10), 1024).is_ok());
        assert!(tables(&doubled(11), 1024).is_err());
        assert!(tables(&doubled(400), 1024).is_err());
        assert!(tables("SELECT 1 FROM a, b WHERE x IN (SELECT y FROM c)", 3).is_ok());
        assert!(tables("SELECT 1 FROM a, b WHERE x IN (SELECT y FROM c)", 2).is_err());
        // What no query names is put in nowhere.
        assert!(tables("WITH c AS (SELECT 1 FROM a, b) SELECT 1 FROM c", 2).is_ok());
        assert!(tables("WITH c AS (SELECT 1 FROM a, b) SELECT 1 FROM c, c d", 3).is_err());
    }
}
