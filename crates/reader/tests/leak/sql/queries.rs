// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whole queries.

use super::{Column, Generator, Kind, Query};

/// Columns of one query.
const MOST_COLUMNS: usize = 4;

impl Generator<'_> {
    /// A query of any kind; its columns are named `c1`, `c2`, ….
    pub(super) fn query(&mut self, depth: usize) -> Query {
        if depth == 0 {
            return match self.choices.below(8) {
                6 => self.whole_table(),
                7 => self.aggregate(0),
                _ => self.select(0, None),
            };
        }
        match self.choices.weighted(&[30, 22, 12, 10, 10, 8, 3, 5]) {
            0 => self.select(depth, None),
            1 => self.aggregate(depth),
            2 => self.window(depth),
            3 => self.set_operation(depth),
            4 => self.limited(depth),
            5 => self.with(depth),
            6 => self.recursive(),
            _ => self.unnested(),
        }
    }

    pub(super) fn fresh(&mut self, kind: Kind) -> Column {
        Column {
            sql: self.name('c'),
            kind,
        }
    }

    /// `select *` of a table: every type passes through.
    fn whole_table(&mut self) -> Query {
        self.mark("select *");
        let relation = self.base();
        let columns: Vec<Column> = relation
            .columns
            .iter()
            .map(|column| self.fresh(column.kind.clone()))
            .collect();
        let names: Vec<&str> = columns.iter().map(|column| column.sql.as_str()).collect();
        let alias = self.name('t');
        let filter = if self.choices.chance(60) {
            let inside = relation.columns.clone();
            format!(" where {}", self.predicate(&inside, 2))
        } else {
            String::new()
        };
        Query {
            sql: format!(
                "select * from (select * from {}{filter}) as {alias}({})",
                relation.sql,
                names.join(", ")
            ),
            columns,
            ordered: false,
        }
    }

    /// A projection with a condition, of given kinds or of any.
    pub(super) fn select(&mut self, depth: usize, kinds: Option<&[Kind]>) -> Query {
        let relation = self.relation(depth);
        let scope = relation.columns;
        let count = kinds.map_or_else(|| 1 + self.choices.below(MOST_COLUMNS), <[Kind]>::len);
        let mut list = Vec::new();
        let mut columns = Vec::new();
        for at in 0..count {
            let (expression, kind) = match kinds {
                Some(kinds) => (self.expression(&kinds[at], &scope, 2), kinds[at].clone()),
                None => self.any_expression(&scope),
            };
            let column = self.fresh(kind);
            list.push(format!("{expression} as {}", column.sql));
            columns.push(column);
        }
        let distinct = if self.choices.chance(12) && columns.iter().all(|column| column.kind.is_flat()) {
            self.mark("distinct");
            "distinct "
        } else {
            ""
        };
        let filter = self.filter(&scope, depth);
        Query {
            sql: format!(
                "select {distinct}{} from {}{filter}",
                list.join(", "),
                relation.sql
            ),
            columns,
            ordered: false,
        }
    }

    /// A column in sight, or an expression over columns.
    fn any_expression(&mut self, scope: &[Column]) -> (String, Kind) {
        if self.choices.chance(55) {
            let column = scope[self.choices.below(scope.len())].clone();
            return (column.sql, column.kind);
        }
        let kind = if self.choices.chance(12) {
            Kind::Bool
        } else {
            self.kind_in_sight(scope)
        };
        (self.expression(&kind, scope, 2), kind)
    }

    pub(super) fn filter(&mut self, scope: &[Column], depth: usize) -> String {
        match self.choices.weighted(&[45, 38, 17]) {
            0 => String::new(),
            1 => format!(" where {}", self.predicate(scope, 2)),
            _ if depth > 0 => {
                let condition = self.condition_with_query(scope);
                let more = self.predicate(scope, 1);
                format!(" where {condition} and {more}")
            }
            _ => {
                let (one, other) = (self.predicate(scope, 1), self.predicate(scope, 1));
                format!(" where {one} and {other}")
            }
        }
    }

    /// A query over an order of all its columns, so that rows of equal rank are equal.
    fn flat(&mut self, depth: usize) -> (String, Vec<Column>) {
        let kinds: Vec<Kind> = (0..1 + self.choices.below(MOST_COLUMNS - 1))
            .map(|_| {
                self.choices.one_of(&[
                    Kind::Int,
                    Kind::Text,
                    Kind::Date,
                    Kind::Decimal,
                    Kind::Exact,
                    Kind::Timestamp,
                    Kind::Text,
                    Kind::Int,
                ])
            })
            .collect();
        let query = self.select(depth, Some(&kinds));
        let alias = self.name('t');
        let columns = query
            .columns
            .into_iter()
            .map(|column| Column {
                sql: format!("{alias}.{}", column.sql),
                kind: column.kind,
            })
            .collect();
        (format!("({}) as {alias}", query.sql), columns)
    }

    /// `order by` over all columns.
    fn total_order(&mut self, columns: &[Column]) -> String {
        let keys: Vec<String> = columns
            .iter()
            .map(|column| {
                let direction = self
                    .choices
                    .one_of(&["", " desc", " nulls first", " desc nulls last"]);
                format!("{}{direction}", column.sql)
            })
            .collect();
        format!("order by {}", keys.join(", "))
    }

    fn limited(&mut self, depth: usize) -> Query {
        let (from, columns) = self.flat(depth - 1);
        let order = self.total_order(&columns);
        let named: Vec<Column> = columns
            .iter()
            .map(|column| self.fresh(column.kind.clone()))
            .collect();
        let list: Vec<String> = columns
            .iter()
            .zip(&named)
            .map(|(column, name)| format!("{} as {}", column.sql, name.sql))
            .collect();
        if self.choices.chance(30) {
            self.mark("limit without order");
            let count = self.fresh(Kind::Int);
            let alias = self.name('t');
            // Straight over a table, the limit may reach the scan.
            let from = match self.choices.chance(60) {
                true => self.base().sql,
                false => from,
            };
            return Query {
                sql: format!(
                    "select count(*) as {} from (select * from {from} limit {}) as {alias}",
                    count.sql,
                    self.choices.below(40)
                ),
                columns: vec![count],
                ordered: false,
            };
        }
        self.mark("order by, limit");
        let offset = if self.choices.chance(30) {
            self.mark("offset");
            format!(" offset {}", self.choices.below(12))
        } else {
            String::new()
        };
        Query {
            sql: format!(
                "select {} from {from} {order} limit {}{offset}",
                list.join(", "),
                self.choices.below(15)
            ),
            columns: named,
            ordered: true,
        }
    }

    fn window(&mut self, depth: usize) -> Query {
        let (from, columns) = self.flat(depth - 1);
        let order = self.total_order(&columns);
        let subject = columns[self.choices.below(columns.len())].clone();
        let partition = match self.choices.below(2) {
            0 => String::new(),
            _ => {
                self.mark("partition by");
                format!("partition by {} ", columns[self.choices.below(columns.len())].sql)
            }
        };
        let (function, kind) = match self.choices.below(10) {
            0 => ("row_number()".to_owned(), Kind::Int),
            1 => ("rank()".to_owned(), Kind::Int),
            2 => ("dense_rank()".to_owned(), Kind::Int),
            3 => (format!("lag({})", subject.sql), subject.kind.clone()),
            4 => (format!("lead({}, 2)", subject.sql), subject.kind.clone()),
            5 => (format!("first_value({})", subject.sql), subject.kind.clone()),
            6 => (format!("nth_value({}, 2)", subject.sql), subject.kind.clone()),
            7 => ("count(*)".to_owned(), Kind::Int),
            8 => (format!("ntile({})", 2 + self.choices.below(4)), Kind::Int),
            _ => match subject.kind {
                Kind::Int | Kind::Decimal | Kind::Exact => (format!("sum({})", subject.sql), Kind::Float),
                _ => (format!("max({})", subject.sql), subject.kind.clone()),
            },
        };
        let framed = ["count", "sum", "max", "first", "nth"]
            .iter()
            .any(|name| function.starts_with(name));
        let frame = if framed && self.choices.chance(40) {
            self.mark("window frame");
            self.choices.one_of(&[
                " rows between 1 preceding and 1 following",
                " rows between unbounded preceding and current row",
                " rows between current row and unbounded following",
            ])
        } else {
            ""
        };
        self.mark("window function");
        let mut named: Vec<Column> = columns
            .iter()
            .map(|column| self.fresh(column.kind.clone()))
            .collect();
        let mut list: Vec<String> = columns
            .iter()
            .zip(&named)
            .map(|(column, name)| format!("{} as {}", column.sql, name.sql))
            .collect();
        let result = self.fresh(kind);
        list.push(format!(
            "{function} over ({partition}{order}{frame}) as {}",
            result.sql
        ));
        named.push(result);
        Query {
            sql: format!("select {} from {from}", list.join(", ")),
            columns: named,
            ordered: false,
        }
    }

    fn set_operation(&mut self, depth: usize) -> Query {
        let kinds: Vec<Kind> = (0..1 + self.choices.below(3))
            .map(|_| {
                self.choices
                    .one_of(&[Kind::Text, Kind::Int, Kind::Date, Kind::Decimal, Kind::Timestamp])
            })
            .collect();
        let left = self.select(depth - 1, Some(&kinds));
        let right = self.select(depth - 1, Some(&kinds));
        let operator = self.choices.one_of(&[
            "union all",
            "union",
            "intersect",
            "except",
            "intersect all",
            "except all",
        ]);
        self.mark(operator);
        Query {
            sql: format!(
                "(select * from ({}) as a) {operator} (select * from ({}) as b)",
                left.sql, right.sql
            ),
            columns: left.columns,
            ordered: false,
        }
    }

    fn with(&mut self, depth: usize) -> Query {
        let inner = self.query(depth - 1);
        let name = self.name('w');
        self.mark("with");
        let (one, other) = (self.name('t'), self.name('t'));
        let of = |alias: &str| -> Vec<Column> {
            inner
                .columns
                .iter()
                .map(|column| Column {
                    sql: format!("{alias}.{}", column.sql),
                    kind: column.kind.clone(),
                })
                .collect()
        };
        let mut scope = of(&one);
        let kind = self.kind_in_sight(&scope);
        let from = match self.column(&kind, &scope).zip(self.column(&kind, &of(&other))) {
            Some((left, right)) if self.choices.chance(40) => {
                self.mark("with, used twice");
                scope.extend(of(&other));
                format!("{name} as {one} join {name} as {other} on {left} = {right}")
            }
            _ => format!("{name} as {one}"),
        };
        let (expression, kind) = self.any_expression(&scope);
        let (column, count) = (self.fresh(kind), self.fresh(Kind::Bool));
        let filter = self.filter(&scope, 0);
        let predicate = self.predicate(&scope, 1);
        Query {
            sql: format!(
                "with {name} as ({}) select {expression} as {}, {predicate} as {} from {from}{filter}",
                inner.sql, column.sql, count.sql
            ),
            columns: vec![column, count],
            ordered: false,
        }
    }

    fn recursive(&mut self) -> Query {
        self.mark("with recursive");
        let relation = self.base();
        let start = self.column_or_literal(&Kind::Int, &relation.columns);
        let text = self.column_or_literal(&Kind::Text, &relation.columns);
        let (name, int, text_column) = (self.name('w'), self.fresh(Kind::Int), self.fresh(Kind::Text));
        let (n, s) = (&int.sql, &text_column.sql);
        let sql = format!(
            "with recursive {name} as (select cast({start} as bigint) as {n}, cast({text} as varchar) as {s} from {} \
             union all select {n} + 1 as {n}, {s} from {name} where {n} between 0 and 3) select {n}, {s} from {name}",
            relation.sql
        );
        Query {
            sql,
            columns: vec![int, text_column],
            ordered: false,
        }
    }

    fn unnested(&mut self) -> Query {
        let mut relation = self.base();
        // Few tables have lists.
        for _ in 0..4 {
            let has_list = |column: &Column| matches!(column.kind, Kind::Ints | Kind::Texts);
            if relation.columns.iter().any(has_list) {
                break;
            }
            relation = self.base();
        }
        let scope = relation.columns;
        let list = if self.choices.chance(50) {
            Kind::Texts
        } else {
            Kind::Ints
        };
        let Some(column) = self.column(&list, &scope) else {
            return self.select(0, None);
        };
        self.mark("unnest");
        let element = self.fresh(if list == Kind::Ints { Kind::Int } else { Kind::Text });
        let (other, kind) = self.any_expression(&scope);
        let other_column = self.fresh(kind);
        let filter = self.filter(&scope, 0);
        Query {
            sql: format!(
                "select unnest({column}) as {}, {other} as {} from {}{filter}",
                element.sql, other_column.sql, relation.sql
            ),
            columns: vec![element, other_column],
            ordered: false,
        }
    }
}
