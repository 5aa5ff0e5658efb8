// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What stands behind `FROM`.

use super::{Column, Generator, Kind, Relation, marked_version};

/// Tables in one query; each multiplies the rows of the others.
const MOST_SOURCES: usize = 5;

impl Generator<'_> {
    /// A table under a new name.
    pub(super) fn base(&mut self) -> Relation {
        let at = self.choices.below(self.tables.len());
        self.table(at)
    }

    fn table(&mut self, at: usize) -> Relation {
        let tables = self.tables;
        let (table, alias) = (&tables[at], self.name('t'));
        let mut version = 0;
        if self.choices.chance(12) {
            version = self.choices.below(table.versions.len());
        } else if self.choices.chance(8) {
            version = table.versions.len() - 1;
        }
        let asked = &table.versions[version];
        self.mark(match version {
            0 => "table",
            _ if asked.view_of.is_some() => "view",
            _ if asked.asked.contains("timestamp") => "table at a time",
            _ if asked.asked.contains('\'') => "branch or tag of a table",
            _ => "snapshot of a table",
        });
        self.used.insert((at, version));
        self.sources += 1;
        let marker = marked_version(version);
        let columns = table.versions[version]
            .fields
            .iter()
            .map(|field| Column {
                sql: format!("{alias}.{}", field.name),
                kind: Kind::of(&field.field_type, &field.name),
            })
            .collect();
        let name = match self.choices.below(12) {
            10 => format!("s.{}{marker}", table.name),
            11 => format!("c.s.{}{marker}", table.name),
            _ => format!("{}{marker}", table.name),
        };
        Relation {
            sql: format!("{name} as {alias}"),
            columns,
        }
    }

    /// A table, a query, or a join of such.
    pub(super) fn relation(&mut self, depth: usize) -> Relation {
        if depth == 0 || self.sources >= MOST_SOURCES {
            return self.base();
        }
        match self.choices.weighted(&[34, 30, 30, 6]) {
            0 => self.base(),
            1 => self.derived(depth - 1),
            2 => self.join(depth - 1),
            _ => self.values(),
        }
    }

    fn derived(&mut self, depth: usize) -> Relation {
        let query = self.query(depth);
        let alias = self.name('t');
        self.mark("query behind from");
        let columns = query
            .columns
            .iter()
            .map(|column| Column {
                sql: format!("{alias}.{}", column.sql),
                kind: column.kind.clone(),
            })
            .collect();
        Relation {
            sql: format!("({}) as {alias}", query.sql),
            columns,
        }
    }

    fn values(&mut self) -> Relation {
        self.mark("values");
        let alias = self.name('t');
        let rows: Vec<String> = (0..1 + self.choices.below(3))
            .map(|_| {
                let int = self.literals.any(&Kind::Int, self.choices);
                let text = self.literals.any(&Kind::Text, self.choices);
                format!("({int}, {text})")
            })
            .collect();
        Relation {
            sql: format!("(values {}) as {alias}(n, s)", rows.join(", ")),
            columns: vec![
                Column {
                    sql: format!("{alias}.n"),
                    kind: Kind::Int,
                },
                Column {
                    sql: format!("{alias}.s"),
                    kind: Kind::Text,
                },
            ],
        }
    }

    fn join(&mut self, depth: usize) -> Relation {
        let left = self.relation(depth);
        // A join of a table with itself tells most about masked columns.
        let right = if self.choices.chance(30) && !self.used.is_empty() {
            self.mark("self join");
            let used: Vec<usize> = self.used.iter().map(|(table, _)| *table).collect();
            let at = self.choices.one_of(&used);
            self.table(at)
        } else {
            self.relation(depth)
        };
        let kind = self.kind_in_sight(&left.columns);
        let pair = self
            .column(&kind, &left.columns)
            .zip(self.column(&kind, &right.columns));
        let Some((one, other)) = pair else {
            return self.cross_join(left, right);
        };
        let mut columns = left.columns.clone();
        columns.extend(right.columns.iter().cloned());
        let mut on = format!("{one} = {other}");
        if self.choices.chance(30) {
            self.mark("join on an expression");
            let more = self.predicate(&columns, 1);
            on = format!("{on} and {more}");
        }
        let (how, columns) = match self.choices.below(8) {
            0 | 1 => ("join", columns),
            2 => ("left join", columns),
            3 => ("right join", columns),
            4 => ("full join", columns),
            5 => ("left semi join", left.columns),
            6 => ("left anti join", left.columns),
            _ => {
                return self.cross_join(left, right);
            }
        };
        self.mark(how);
        Relation {
            sql: format!("{} {how} {} on {on}", left.sql, right.sql),
            columns,
        }
    }

    fn cross_join(&mut self, left: Relation, right: Relation) -> Relation {
        self.mark("cross join");
        let mut columns = left.columns;
        columns.extend(right.columns);
        Relation {
            sql: format!("{} cross join {}", left.sql, right.sql),
            columns,
        }
    }
}
