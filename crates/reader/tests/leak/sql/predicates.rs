// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Conditions over the columns in sight.

use super::{Column, Generator, Kind};

/// Kinds that can be compared.
const COMPARED: [Kind; 10] = [
    Kind::Int,
    Kind::Text,
    Kind::Date,
    Kind::Decimal,
    Kind::Exact,
    Kind::Timestamp,
    Kind::Float,
    Kind::Zoned,
    Kind::Time,
    Kind::Bytes,
];

impl Generator<'_> {
    /// A kind of which a column is in sight, if one of those that can be compared is.
    pub(super) fn kind_in_sight(&mut self, scope: &[Column]) -> Kind {
        let present: Vec<Kind> = COMPARED
            .into_iter()
            .filter(|kind| scope.iter().any(|column| column.kind == *kind))
            .collect();
        if present.is_empty() {
            return Kind::Int;
        }
        present[self.choices.below(present.len())].clone()
    }

    pub(super) fn predicate(&mut self, scope: &[Column], depth: usize) -> String {
        if depth > 0 && self.choices.chance(40) {
            let left = self.predicate(scope, depth - 1);
            return match self.choices.below(4) {
                0 => format!("({left} and {})", self.predicate(scope, depth - 1)),
                1 | 2 => format!("({left} or {})", self.predicate(scope, depth - 1)),
                _ => {
                    self.mark("not");
                    format!("(not {left})")
                }
            };
        }
        let kind = self.kind_in_sight(scope);
        match self.choices.weighted(&[30, 8, 8, 8, 10, 12, 6, 4, 4, 4]) {
            0 => {
                self.mark("comparison");
                let operator = self
                    .choices
                    .one_of(&["=", "<>", "<", "<=", ">", ">=", "<>", "<", ">"]);
                let left = self.expression(&kind, scope, depth);
                let right = self.literals.compared(&kind, self.choices);
                if self.choices.chance(20) {
                    format!("({right} {operator} {left})")
                } else {
                    format!("({left} {operator} {right})")
                }
            }
            1 => {
                self.mark("is null");
                let negated = self.choices.one_of(&["is null", "is not null"]);
                let inner = if self.choices.chance(30) {
                    let columns: Vec<String> = scope.iter().map(|column| column.sql.clone()).collect();
                    self.choices.one_of(&columns)
                } else {
                    self.expression(&kind, scope, depth)
                };
                format!("({inner} {negated})")
            }
            2 => {
                self.mark("comparison of columns");
                let operator = self.choices.one_of(&["=", "<>", "<", ">="]);
                let (left, right) = (
                    self.expression(&kind, scope, depth),
                    self.column_or_literal(&kind, scope),
                );
                format!("({left} {operator} {right})")
            }
            3 => {
                self.mark("between");
                let negated = self.choices.one_of(&["between", "not between"]);
                let inner = self.expression(&kind, scope, depth);
                let (low, high) = (
                    self.literals.compared(&kind, self.choices),
                    self.literals.compared(&kind, self.choices),
                );
                format!("({inner} {negated} {low} and {high})")
            }
            4 => {
                self.mark("in list");
                let negated = self.choices.one_of(&["in", "not in"]);
                let inner = self.expression(&kind, scope, depth);
                let list: Vec<String> = (0..1 + self.choices.below(5))
                    .map(|_| self.literals.compared(&kind, self.choices))
                    .collect();
                format!("({inner} {negated} ({}))", list.join(", "))
            }
            5 => self.pattern(scope, depth),
            6 => {
                self.mark("is distinct from");
                let negated = self.choices.one_of(&["is distinct from", "is not distinct from"]);
                let (left, right) = (
                    self.expression(&kind, scope, depth),
                    self.literals.compared(&kind, self.choices),
                );
                format!("({left} {negated} {right})")
            }
            7 => match self.column(&Kind::Bool, scope) {
                Some(column) => {
                    let test = self
                        .choices
                        .one_of(&["", " is true", " is not false", " is unknown"]);
                    format!("({column}{test})")
                }
                None => format!("({} is not null)", self.column_or_literal(&kind, scope)),
            },
            8 => match self.column(&Kind::Texts, scope) {
                Some(words) => {
                    self.mark("array_has");
                    format!(
                        "array_has({words}, {})",
                        self.literals.any(&Kind::Text, self.choices)
                    )
                }
                None => {
                    self.mark("starts_with");
                    let start = self.literals.fragment(self.choices);
                    format!(
                        "starts_with({}, '{start}')",
                        self.column_or_literal(&Kind::Text, scope)
                    )
                }
            },
            _ => match self.column(&Kind::FixedBytes, scope) {
                Some(column) => format!("({column} is not null)"),
                None => format!("({} is null)", self.column_or_literal(&kind, scope)),
            },
        }
    }

    fn pattern(&mut self, scope: &[Column], depth: usize) -> String {
        let text = self.expression(&Kind::Text, scope, depth);
        let part = self.literals.fragment(self.choices);
        match self.choices.below(5) {
            0 => {
                self.mark("like");
                let pattern = self.choices.one_of(&[
                    format!("{part}%"),
                    format!("%{part}"),
                    format!("%{part}%"),
                    format!("_{part}%"),
                ]);
                let negated = self.choices.one_of(&["like", "not like", "ilike"]);
                format!("({text} {negated} '{pattern}')")
            }
            1 => {
                self.mark("regular expression");
                let operator = self.choices.one_of(&["~", "!~", "~*"]);
                let pattern = self
                    .choices
                    .one_of(&["^[0-9]+-qz", "zq-[0-9]*$", "^n+-x", "a|r", "^.{3}$"]);
                format!("({text} {operator} '{pattern}')")
            }
            2 => {
                self.mark("regexp_like");
                let pattern = self.choices.one_of(&["qz[0-9]", "xx", "^4"]);
                format!("regexp_like({text}, '{pattern}')")
            }
            3 => {
                self.mark("contains");
                format!("contains({text}, '{part}')")
            }
            _ => {
                self.mark("similar to");
                format!("({text} similar to '%(qz|xx)%')")
            }
        }
    }

    /// A condition with a query inside, which may look at the columns in sight.
    pub(super) fn condition_with_query(&mut self, scope: &[Column]) -> String {
        let inner = self.relation(0);
        let (mut both, kind) = (inner.columns.clone(), self.kind_in_sight(scope));
        both.retain(|column| column.kind == kind);
        let (outer_column, inner_column) = (self.column_or_literal(&kind, scope), self.column(&kind, &both));
        let inner_column = match inner_column {
            Some(column) => column,
            None => self.literals.any(&kind, self.choices),
        };
        let filter = self.predicate(&inner.columns, 1);
        let from = format!("from {} where {filter}", inner.sql);
        match self.choices.below(6) {
            0 => {
                self.mark("in subquery");
                let negated = self.choices.one_of(&["in", "not in"]);
                format!("({outer_column} {negated} (select {inner_column} {from}))")
            }
            1 => {
                self.mark("exists, correlated");
                let negated = self.choices.one_of(&["exists", "not exists"]);
                format!("({negated} (select 1 {from} and {inner_column} = {outer_column}))")
            }
            2 => {
                self.mark("exists");
                format!("(exists (select 1 {from}))")
            }
            3 => {
                self.mark("scalar subquery");
                let operator = self.choices.one_of(&["=", "<", ">="]);
                let function = self.choices.one_of(&["min", "max"]);
                if matches!(kind, Kind::Float) {
                    return format!("((select count({inner_column}) {from}) > 3)");
                }
                format!("({outer_column} {operator} (select {function}({inner_column}) {from}))")
            }
            4 => {
                self.mark("scalar subquery, correlated");
                format!(
                    "((select count(*) {from} and {inner_column} = {outer_column}) > {})",
                    self.choices.below(3)
                )
            }
            _ => {
                self.mark("in subquery, correlated");
                let int = self.column_or_literal(&Kind::Int, &inner.columns);
                let outer_int = self.column_or_literal(&Kind::Int, scope);
                format!("({outer_column} in (select {inner_column} {from} and {int} = {outer_int}))")
            }
        }
    }
}
