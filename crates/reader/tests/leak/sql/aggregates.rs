// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Aggregations.

use super::{Column, Generator, Kind, Query};

impl Generator<'_> {
    /// Aggregates of a relation, over groups or all of it.
    pub(super) fn aggregate(&mut self, depth: usize) -> Query {
        if self.choices.chance(12) {
            self.mark("count(*)");
            let relation = self.relation(depth);
            let column = self.fresh(Kind::Int);
            let filter = self.filter(&relation.columns, 0);
            return Query {
                sql: format!("select count(*) as {} from {}{filter}", column.sql, relation.sql),
                columns: vec![column],
                ordered: false,
            };
        }
        let relation = self.relation(depth.min(1));
        let scope = relation.columns;
        let mut columns = Vec::new();
        let mut list = Vec::new();
        let mut keys = Vec::new();
        for _ in 0..self.choices.below(3) {
            let (key, kind) = self.key(&scope);
            if keys.contains(&key) {
                continue;
            }
            let column = self.fresh(kind);
            list.push(format!("{key} as {}", column.sql));
            columns.push(column);
            keys.push(key);
        }
        for _ in 0..1 + self.choices.below(3) {
            let (aggregate, kind) = self.aggregate_function(&scope);
            let filtered = if self.choices.chance(15) && !aggregate.contains("order by") {
                self.mark("aggregate with filter");
                format!(" filter (where {})", self.predicate(&scope, 1))
            } else {
                String::new()
            };
            let column = self.fresh(kind);
            list.push(format!("{aggregate}{filtered} as {}", column.sql));
            columns.push(column);
        }
        let filter = self.filter(&scope, depth);
        let mut sql = format!("select {} from {}{filter}", list.join(", "), relation.sql);
        if !keys.is_empty() {
            let grouping = self.grouping(&keys);
            sql.push_str(&format!(" group by {grouping}"));
        }
        if self.choices.chance(25) {
            self.mark("having");
            sql.push_str(&format!(" having count(*) > {}", self.choices.below(3)));
        }
        Query {
            sql,
            columns,
            ordered: false,
        }
    }

    /// Not a literal, which would be a position.
    fn key(&mut self, scope: &[Column]) -> (String, Kind) {
        let flat: Vec<Column> = scope
            .iter()
            .filter(|column| column.kind.is_flat())
            .cloned()
            .collect();
        let Some(column) = flat.get(self.choices.below(flat.len())).cloned() else {
            return (format!("({} is null)", scope[0].sql), Kind::Bool);
        };
        if self.choices.chance(60) || column.kind == Kind::FixedBytes {
            self.mark("group by a column");
            return (column.sql, column.kind);
        }
        self.mark("group by an expression");
        let expression = match column.kind {
            Kind::Text => format!(
                "{}({}, {})",
                self.choices.one_of(&["left", "right"]),
                column.sql,
                1 + self.choices.below(5)
            ),
            Kind::Int => format!("({} % 3)", column.sql),
            Kind::Date | Kind::Timestamp => {
                let part = self.choices.one_of(&["year", "month"]);
                return (
                    format!("date_trunc('{part}', cast({} as timestamp))", column.sql),
                    Kind::Timestamp,
                );
            }
            _ => return (format!("({} is null)", column.sql), Kind::Bool),
        };
        (expression, column.kind)
    }

    fn grouping(&mut self, keys: &[String]) -> String {
        let all = keys.join(", ");
        match self.choices.below(8) {
            0 => {
                self.mark("rollup");
                format!("rollup({all})")
            }
            1 => {
                self.mark("cube");
                format!("cube({all})")
            }
            2 => {
                self.mark("grouping sets");
                format!("grouping sets (({all}), ({}), ())", keys[0])
            }
            _ => {
                self.mark("group by");
                all
            }
        }
    }

    fn aggregate_function(&mut self, scope: &[Column]) -> (String, Kind) {
        let kind = self.kind_in_sight(scope);
        let subject = self.expression(&kind, scope, 1);
        let choice = self.choices.weighted(&[14, 10, 10, 12, 12, 12, 6, 6, 6, 6, 4]);
        match choice {
            0 => {
                self.mark("count(*)");
                ("count(*)".to_owned(), Kind::Int)
            }
            1 => {
                self.mark("count");
                (format!("count({subject})"), Kind::Int)
            }
            2 => {
                self.mark("count(distinct)");
                (format!("count(distinct {subject})"), Kind::Int)
            }
            // The least of numbers among which some are none depends on their order.
            3 | 4 if !matches!(kind, Kind::Float) => {
                let function = self.choices.one_of(&["min", "max"]);
                self.mark(function);
                (format!("{function}({subject})"), kind)
            }
            5 => self.sum(scope),
            6 => {
                let function = self.choices.one_of(&["bool_and", "bool_or"]);
                self.mark(function);
                (format!("{function}({})", self.predicate(scope, 1)), Kind::Bool)
            }
            7 => {
                let function = self.choices.one_of(&["bit_and", "bit_or", "bit_xor"]);
                self.mark("bits");
                let int = self.expression(&Kind::Int, scope, 1);
                (format!("{function}(cast({int} as bigint))"), Kind::Int)
            }
            8 => {
                self.mark("string_agg");
                let text = self.column_or_literal(&Kind::Text, scope);
                (format!("string_agg({text}, ',' order by {text})"), Kind::Text)
            }
            9 => {
                self.mark("array_agg");
                let int = self.column_or_literal(&Kind::Int, scope);
                (
                    format!("array_to_string(array_agg({int} order by {int}), ',')"),
                    Kind::Text,
                )
            }
            10 => {
                self.mark("median");
                let decimal = self.column_or_literal(&Kind::Decimal, scope);
                (format!("median({decimal})"), Kind::Decimal)
            }
            _ => {
                self.mark("approx_distinct");
                let text = self.column_or_literal(&Kind::Text, scope);
                (format!("cast(approx_distinct({text}) as bigint)"), Kind::Int)
            }
        }
    }

    fn sum(&mut self, scope: &[Column]) -> (String, Kind) {
        match self.choices.below(5) {
            0 => {
                self.mark("sum");
                (
                    format!("sum({})", self.expression(&Kind::Int, scope, 1)),
                    Kind::Int,
                )
            }
            1 => {
                self.mark("sum of floats");
                (
                    format!("sum({})", self.expression(&Kind::Exact, scope, 1)),
                    Kind::Float,
                )
            }
            2 => {
                self.mark("sum");
                (
                    format!("sum({})", self.column_or_literal(&Kind::Decimal, scope)),
                    Kind::Decimal,
                )
            }
            3 => {
                self.mark("avg");
                (
                    format!("avg({})", self.column_or_literal(&Kind::Exact, scope)),
                    Kind::Float,
                )
            }
            _ => {
                self.mark("avg");
                (
                    format!("avg({} % 1000)", self.column_or_literal(&Kind::Int, scope)),
                    Kind::Float,
                )
            }
        }
    }
}
