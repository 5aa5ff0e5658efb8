// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions of each kind over the columns in sight. None of them can fail, whatever the values.

use super::{Column, Generator, Kind};

impl Generator<'_> {
    /// A column of the kind, if one is in sight.
    pub(super) fn column(&mut self, kind: &Kind, scope: &[Column]) -> Option<String> {
        let fitting: Vec<&Column> = scope.iter().filter(|column| column.kind == *kind).collect();
        (!fitting.is_empty()).then(|| fitting[self.choices.below(fitting.len())].sql.clone())
    }

    pub(super) fn column_or_literal(&mut self, kind: &Kind, scope: &[Column]) -> String {
        if self.choices.chance(12) {
            return self.literals.any(kind, self.choices);
        }
        match self.column(kind, scope) {
            Some(column) => column,
            None => self.literals.any(kind, self.choices),
        }
    }

    /// Any expression of the kind.
    pub(super) fn expression(&mut self, kind: &Kind, scope: &[Column], depth: usize) -> String {
        if depth == 0 || self.choices.chance(45) {
            return self.column_or_literal(kind, scope);
        }
        if self.choices.chance(18) && kind.is_flat() {
            return self.conditional(kind, scope, depth - 1);
        }
        match kind {
            Kind::Bool => self.predicate(scope, depth),
            Kind::Int => self.int(scope, depth - 1),
            Kind::Exact => self.exact(scope, depth - 1),
            Kind::Float => self.float(scope, depth - 1),
            Kind::Decimal => self.decimal(scope, depth - 1),
            Kind::Text => self.text(scope, depth - 1),
            Kind::Date => self.date(scope, depth - 1),
            Kind::Timestamp => self.timestamp(scope, depth - 1),
            Kind::Ints | Kind::Texts => self.list(kind, scope, depth - 1),
            Kind::Zoned | Kind::Time | Kind::Bytes | Kind::FixedBytes | Kind::Place | Kind::Marks => {
                self.column_or_literal(kind, scope)
            }
        }
    }

    fn conditional(&mut self, kind: &Kind, scope: &[Column], depth: usize) -> String {
        let first = self.expression(kind, scope, depth);
        let second = self.expression(kind, scope, depth);
        match self.choices.below(4) {
            0 => {
                self.mark("coalesce");
                format!("coalesce({first}, {second})")
            }
            1 => {
                self.mark("nullif");
                format!("nullif({first}, {second})")
            }
            2 => {
                self.mark("case of a value");
                let other = self.literals.any(&Kind::Text, self.choices);
                let subject = self.column_or_literal(&Kind::Text, scope);
                format!("case {subject} when {other} then {first} else {second} end")
            }
            _ => {
                self.mark("case");
                let condition = self.predicate(scope, depth);
                format!("case when {condition} then {first} else {second} end")
            }
        }
    }

    fn int(&mut self, scope: &[Column], depth: usize) -> String {
        let sub = |generator: &mut Self, kind| generator.expression(&kind, scope, depth);
        match self.choices.below(13) {
            0 => {
                let (left, right) = (sub(self, Kind::Int), sub(self, Kind::Int));
                let operator = self.choices.one_of(&["+", "-", "*", "&", "|", "^"]);
                self.mark("arithmetic");
                format!("(cast({left} as bigint) {operator} cast({right} as bigint))")
            }
            1 => {
                self.mark("remainder");
                format!("({} % {})", sub(self, Kind::Int), 2 + self.choices.below(5))
            }
            2 => {
                self.mark("division by a number");
                format!("({} / {})", sub(self, Kind::Int), 2 + self.choices.below(5))
            }
            3 => {
                let text = sub(self, Kind::Text);
                self.call("length", &[text])
            }
            4 => {
                let needle = self.literals.fragment(self.choices);
                let text = sub(self, Kind::Text);
                self.call("strpos", &[text, format!("'{needle}'")])
            }
            5 => {
                let text = sub(self, Kind::Text);
                self.call("ascii", &[text])
            }
            6 => {
                self.mark("extract");
                let part = self.choices.one_of(&["year", "month", "day", "doy", "dow"]);
                format!("cast(extract({part} from {}) as bigint)", sub(self, Kind::Date))
            }
            7 => {
                self.mark("extract");
                let part = self.choices.one_of(&["year", "month", "hour", "second"]);
                format!(
                    "cast(extract({part} from {}) as bigint)",
                    sub(self, Kind::Timestamp)
                )
            }
            8 => {
                self.mark("try_cast");
                format!("try_cast({} as bigint)", sub(self, Kind::Text))
            }
            9 => {
                let text = sub(self, Kind::Text);
                self.call("octet_length", &[text])
            }
            10 => match self.column(&Kind::Place, scope) {
                Some(place) => {
                    self.mark("member of a struct");
                    format!("{place}['a']")
                }
                None => self.column_or_literal(&Kind::Int, scope),
            },
            11 => match self.column(&Kind::Marks, scope) {
                Some(marks) => {
                    self.mark("value of a map");
                    let key = self.choices.one_of(&["x", "y", "w"]);
                    format!("{marks}['{key}']")
                }
                None => self.column_or_literal(&Kind::Int, scope),
            },
            _ => {
                let list = if self.choices.chance(50) {
                    Kind::Ints
                } else {
                    Kind::Texts
                };
                match self.column(&list, scope) {
                    Some(column) => {
                        self.mark("length of a list");
                        format!("cast(array_length({column}) as bigint)")
                    }
                    None => self.column_or_literal(&Kind::Int, scope),
                }
            }
        }
    }

    /// Stays a small multiple of a quarter.
    fn exact(&mut self, scope: &[Column], depth: usize) -> String {
        let left = self.expression(&Kind::Exact, scope, depth);
        match self.choices.below(4) {
            0 => {
                let right = self.column_or_literal(&Kind::Exact, scope);
                format!("({left} - {right})")
            }
            1 => format!("(- {left})"),
            2 => self.call("abs", &[left]),
            _ => {
                self.mark("cast");
                let int = self.column_or_literal(&Kind::Int, scope);
                format!("cast({int} % 1000 as double)")
            }
        }
    }

    fn float(&mut self, scope: &[Column], depth: usize) -> String {
        let kind = if self.choices.chance(50) {
            Kind::Float
        } else {
            Kind::Exact
        };
        let inner = self.expression(&kind, scope, depth);
        match self.choices.below(5) {
            0 => self.call("sqrt", &[inner]),
            1 => self.call("floor", &[inner]),
            2 => format!("({inner} * 0.3)"),
            3 => {
                self.mark("division of floats");
                let other = self.column_or_literal(&Kind::Exact, scope);
                format!("(cast({inner} as double) / cast({other} as double))")
            }
            _ => self.call("abs", &[inner]),
        }
    }

    fn decimal(&mut self, scope: &[Column], depth: usize) -> String {
        let left = self.expression(&Kind::Decimal, scope, depth);
        match self.choices.below(4) {
            0 => {
                let right = self.column_or_literal(&Kind::Decimal, scope);
                format!("cast({left} - {right} as decimal(24,2))")
            }
            1 => self.call("abs", &[left]),
            2 => {
                self.mark("cast");
                let int = self.column_or_literal(&Kind::Int, scope);
                format!("cast({int} % 1000 as decimal(12,2))")
            }
            _ => format!("(- {left})"),
        }
    }

    fn text(&mut self, scope: &[Column], depth: usize) -> String {
        let inner = self.expression(&Kind::Text, scope, depth);
        let number = (1 + self.choices.below(6)).to_string();
        match self.choices.below(21) {
            0 => self.call("upper", &[inner]),
            1 => self.call("lower", &[inner]),
            2 => {
                let length = self.choices.below(8).to_string();
                self.call("substr", &[inner, number, length])
            }
            3 => self.call("left", &[inner, number]),
            4 => self.call("right", &[inner, number]),
            5 => {
                self.mark("||");
                let other = self.column_or_literal(&Kind::Text, scope);
                format!("({inner} || {other})")
            }
            6 => self.call("reverse", &[inner]),
            7 => {
                let from = self.literals.fragment(self.choices);
                self.call("replace", &[inner, format!("'{from}'"), "'*'".to_owned()])
            }
            8 => self.call("trim", &[inner]),
            9 => self.call("lpad", &[inner, "12".to_owned(), "'.'".to_owned()]),
            10 => self.call("split_part", &[inner, "'-'".to_owned(), "2".to_owned()]),
            11 => {
                let pattern = self.choices.one_of(&["'[0-9]+'", "'q.'", "'^.'", "'[^n-]'"]);
                self.call(
                    "regexp_replace",
                    &[inner, pattern.to_owned(), "'#'".to_owned(), "'g'".to_owned()],
                )
            }
            12 => self.call("md5", &[inner]),
            13 => {
                self.mark("encode");
                format!("encode(sha256({inner}), 'hex')")
            }
            14 => {
                self.mark("cast");
                let kind =
                    self.choices
                        .one_of(&[Kind::Int, Kind::Date, Kind::Timestamp, Kind::Decimal, Kind::Bool]);
                format!("cast({} as varchar)", self.column_or_literal(&kind, scope))
            }
            15 => self.call("repeat", &[inner, "2".to_owned()]),
            16 => match self.column(&Kind::Place, scope) {
                Some(place) => {
                    self.mark("member of a struct");
                    format!("{place}['b']")
                }
                None => inner,
            },
            17 => match self.column(&Kind::Texts, scope) {
                Some(words) => {
                    self.mark("element of a list");
                    format!("{words}[{number}]")
                }
                None => inner,
            },
            18 => match self.column(&Kind::Texts, scope) {
                Some(words) => self.call("array_to_string", &[words, "'+'".to_owned()]),
                None => self.call("translate", &[inner, "'0123'".to_owned(), "'abcd'".to_owned()]),
            },
            19 => match self.column(&Kind::Bytes, scope) {
                Some(bytes) => {
                    self.mark("encode");
                    format!("encode({bytes}, 'hex')")
                }
                None => self.call("initcap", &[inner]),
            },
            _ => self.call("concat", &[inner, "'|'".to_owned()]),
        }
    }

    fn date(&mut self, scope: &[Column], depth: usize) -> String {
        match self.choices.below(3) {
            0 => {
                self.mark("cast");
                let timestamp = self.expression(&Kind::Timestamp, scope, depth);
                format!("cast({timestamp} as date)")
            }
            1 => {
                self.mark("interval");
                let date = self.expression(&Kind::Date, scope, depth);
                format!(
                    "cast({date} + interval '{} day' as date)",
                    1 + self.choices.below(40)
                )
            }
            _ => {
                let date = self.expression(&Kind::Date, scope, depth);
                let part = self.choices.one_of(&["year", "month"]);
                self.mark("date_trunc");
                format!("cast(date_trunc('{part}', {date}) as date)")
            }
        }
    }

    fn timestamp(&mut self, scope: &[Column], depth: usize) -> String {
        let inner = self.expression(&Kind::Timestamp, scope, depth);
        match self.choices.below(3) {
            0 => {
                self.mark("cast");
                format!(
                    "cast({} as timestamp)",
                    self.expression(&Kind::Date, scope, depth)
                )
            }
            1 => {
                self.mark("date_trunc");
                let part = self.choices.one_of(&["year", "month", "day", "hour"]);
                format!("date_trunc('{part}', {inner})")
            }
            _ => {
                self.mark("interval");
                format!("({inner} + interval '{} hour')", 1 + self.choices.below(40))
            }
        }
    }

    fn list(&mut self, kind: &Kind, scope: &[Column], depth: usize) -> String {
        let Some(column) = self.column(kind, scope) else {
            return "null".to_owned();
        };
        match self.choices.below(4) {
            0 => self.call("array_sort", &[column]),
            1 => self.call("array_distinct", &[column]),
            2 => {
                let element = if *kind == Kind::Ints {
                    Kind::Int
                } else {
                    Kind::Text
                };
                let value = self.expression(&element, scope, depth);
                self.mark("array_append");
                let cast = if *kind == Kind::Ints { "int" } else { "varchar" };
                format!("array_append({column}, cast({value} as {cast}))")
            }
            _ => column,
        }
    }

    fn call(&mut self, function: &'static str, arguments: &[String]) -> String {
        self.mark(function);
        format!("{function}({})", arguments.join(", "))
    }
}
