// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The grammar: queries made of decisions.
//!
//! What would be allowed to differ between two right answers is not generated: a limit stands behind an order of all
//! columns, a window over such an order too, floating-point sums add quarters only, and an expression that may fail stands
//! where no other part of the query decides whether it is evaluated.

mod aggregates;
mod expressions;
mod literals;
mod predicates;
mod probes;
mod queries;
mod relations;

use std::collections::BTreeSet;

use lakeward_read_restrictions::field::FieldType;

use crate::choices::Choices;
pub(crate) use crate::sql::literals::Literals;
use crate::sql::literals::parameters_of;
use crate::tables::Table;

/// The kinds of values that the grammar tells apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int,
    /// Sums are exact.
    Exact,
    /// Any floating-point number, NaN too.
    Float,
    Decimal,
    Text,
    Date,
    Timestamp,
    Zoned,
    Time,
    Bytes,
    /// Bytes of a fixed length, uuids among them.
    FixedBytes,
    Ints,
    Texts,
    /// A struct with `a`, a number, and `b`, a text.
    Place,
    /// A map of texts to numbers.
    Marks,
}

impl Kind {
    fn of(field_type: &FieldType, name: &str) -> Self {
        match field_type {
            FieldType::Boolean => Self::Bool,
            FieldType::Int | FieldType::Long => Self::Int,
            FieldType::Double if name == "score" => Self::Exact,
            FieldType::Float | FieldType::Double => Self::Float,
            FieldType::Decimal { .. } => Self::Decimal,
            FieldType::String => Self::Text,
            FieldType::Date => Self::Date,
            FieldType::Timestamp | FieldType::TimestampNs => Self::Timestamp,
            FieldType::Timestamptz | FieldType::TimestamptzNs => Self::Zoned,
            FieldType::Time => Self::Time,
            FieldType::Binary => Self::Bytes,
            FieldType::Uuid | FieldType::Fixed(_) => Self::FixedBytes,
            FieldType::List(element) if element.field_type == FieldType::Int => Self::Ints,
            FieldType::List(_) => Self::Texts,
            FieldType::Struct(_) => Self::Place,
            FieldType::Map { .. } => Self::Marks,
            other => panic!("no table has {other}"),
        }
    }

    /// Whether rows can be ordered and grouped by it.
    fn is_flat(&self) -> bool {
        !matches!(self, Self::Ints | Self::Texts | Self::Place | Self::Marks)
    }
}

/// A column in sight.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// How it is written.
    pub(crate) sql: String,
    pub(crate) kind: Kind,
}

/// Something behind `FROM` with its columns.
pub(crate) struct Relation {
    pub(crate) sql: String,
    pub(crate) columns: Vec<Column>,
}

/// A query with the names of its columns.
pub(crate) struct Query {
    pub(crate) sql: String,
    pub(crate) columns: Vec<Column>,
    /// Whether the order of rows is total.
    pub(crate) ordered: bool,
}

/// What is expected of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The answer of the copy; the rows in any order.
    Rows,
    /// The answer of the copy, in this order.
    Ordered,
    /// The answer of the copy, or a failure on both sides.
    MayFail,
    /// A text that tells nothing.
    Explanation,
    /// A refusal.
    Refusal,
}

/// A generated statement.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    /// The same with parameters in place of some literals, and those literals.
    pub(crate) parametrized: String,
    pub(crate) parameters: Vec<String>,
    /// The same over the copies, of which each version has a name.
    pub(crate) copy_sql: String,
    pub(crate) expected: Expected,
    pub(crate) constructs: BTreeSet<&'static str>,
    /// Positions of the tables that it names, with those of their versions.
    pub(crate) tables: BTreeSet<(usize, usize)>,
}

/// Makes one statement.
pub(crate) struct Generator<'a> {
    choices: &'a mut Choices,
    tables: &'a [Table],
    literals: &'a Literals,
    constructs: BTreeSet<&'static str>,
    used: BTreeSet<(usize, usize)>,
    names: usize,
    /// Relations of the query that are tables, to bound the work of joins.
    sources: usize,
}

/// What stands behind a name until it is known who is asked.
fn marked_version(version: usize) -> String {
    if version == 0 {
        String::new()
    } else {
        format!("⟨{version}⟩")
    }
}

/// How a version is named among the copies.
pub(crate) fn copy_name(table: &str, version: usize) -> String {
    if version == 0 {
        table.to_owned()
    } else {
        format!("{table}_v{version}")
    }
}

/// Makes a statement over the tables.
pub(crate) fn statement(choices: &mut Choices, tables: &[Table], literals: &Literals) -> Statement {
    let mut generator = Generator {
        choices,
        tables,
        literals,
        constructs: BTreeSet::new(),
        used: BTreeSet::new(),
        names: 0,
        sources: 0,
    };
    let (marked, expected) = generator.top();
    // Some relations are made and then not used; of a version that must count.
    generator.used.retain(|(table, version)| {
        *version == 0 || marked.contains(&format!("{}{}", tables[*table].name, marked_version(*version)))
    });
    let (mut sql, mut copy_sql) = (marked.clone(), marked);
    for (table, version) in &generator.used {
        let marker = marked_version(*version);
        let name = tables[*table].name;
        let asked = &tables[*table].versions[*version].asked;
        if *version > 0 {
            sql = sql.replace(&format!("{name}{marker}"), asked);
            copy_sql = copy_sql.replace(&format!("{name}{marker}"), &copy_name(name, *version));
        }
    }
    let (copy_sql, _, _) = parameters_of(&copy_sql);
    let (sql, parametrized, parameters) = parameters_of(&sql);
    Statement {
        sql,
        parametrized,
        parameters,
        copy_sql,
        expected,
        constructs: generator.constructs,
        tables: generator.used,
    }
}

impl Generator<'_> {
    fn top(&mut self) -> (String, Expected) {
        match self.choices.weighted(&[880, 50, 40, 30]) {
            0 => {
                let depth = self.choices.weighted(&[30, 45, 25]);
                let query = self.query(depth);
                let expected = if query.ordered {
                    Expected::Ordered
                } else {
                    Expected::Rows
                };
                (query.sql, expected)
            }
            1 => (self.may_fail(), Expected::MayFail),
            2 => {
                self.mark("explain");
                let depth = self.choices.below(3);
                let query = self.query(depth).sql;
                let how =
                    self.choices
                        .one_of(&["explain", "explain", "explain format indent", "explain verbose"]);
                (format!("{how} {query}"), Expected::Explanation)
            }
            _ => self.probe(),
        }
    }

    fn mark(&mut self, construct: &'static str) {
        self.constructs.insert(construct);
    }

    fn name(&mut self, letter: char) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }
}
