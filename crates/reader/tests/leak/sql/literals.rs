// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Values that users write: such as occur in tables, hidden ones too, and such as masks show.

use std::collections::BTreeSet;

use lakeward_read_restrictions::value::Value;

use super::Kind;
use crate::choices::Choices;
use crate::tables::Table;

/// Literals by kind, as SQL.
pub(crate) struct Literals {
    texts: Vec<String>,
    ints: Vec<String>,
    decimals: Vec<String>,
    exact: Vec<String>,
    dates: Vec<String>,
    timestamps: Vec<String>,
    times: Vec<String>,
    bytes: Vec<String>,
}

impl Literals {
    /// Of all values of the tables, whoever may see them: guessing is a way round a mask.
    pub(crate) fn of(tables: &[Table]) -> Self {
        let mut literals = Self {
            texts: [
                "XXXXXXXX",
                "",
                "nnnn-xxnnnnnxx-nnnn",
                "n",
                "qz",
                "x",
                "4",
                "Größe",
            ]
            .map(quoted)
            .to_vec(),
            ints: (0..8).map(|number: i32| number.to_string()).collect(),
            decimals: vec!["0.00".to_owned(), "1230000.50".to_owned()],
            exact: vec!["0.0".to_owned(), "1000.25".to_owned()],
            dates: vec!["date '1970-01-01'".to_owned(), "date '1985-06-30'".to_owned()],
            timestamps: vec!["timestamp '1970-01-01T00:00:00'".to_owned()],
            times: vec![time("00:00:00")],
            bytes: vec!["x''".to_owned(), "x'3030'".to_owned()],
        };
        let mut seen = BTreeSet::new();
        for value in tables.iter().flat_map(|table| &table.current().rows).flatten() {
            let json = value.to_json();
            let text = json.as_str().map_or_else(|| json.to_string(), str::to_owned);
            if !seen.insert(text.clone()) {
                continue;
            }
            match value {
                Value::String(_) => literals.texts.push(quoted(&text)),
                Value::Int(_) | Value::Long(_) => literals.ints.push(text),
                Value::Decimal { .. } => literals.decimals.push(text),
                Value::Double(number) if (number * 4.0).fract() == 0.0 => literals.exact.push(text),
                Value::Date(_) => literals.dates.push(format!("date '{text}'")),
                Value::Timestamp(_) => literals.timestamps.push(format!("timestamp '{text}'")),
                Value::Time(_) => literals.times.push(time(&text)),
                Value::Binary(_) => literals.bytes.push(format!("x'{text}'")),
                _ => {}
            }
        }
        literals
    }

    /// A literal of the kind; of kinds without any, null.
    pub(crate) fn any(&self, kind: &Kind, choices: &mut Choices) -> String {
        match kind {
            Kind::Bool => choices.one_of(&["true".to_owned(), "false".to_owned()]),
            Kind::Int => self.int(choices),
            Kind::Exact | Kind::Float => of_masks_or_any(&self.exact, 1, choices),
            Kind::Decimal => format!(
                "cast({} as decimal(12,2))",
                of_masks_or_any(&self.decimals, 1, choices)
            ),
            Kind::Text => of_masks_or_any(&self.texts, OF_MASKS, choices),
            Kind::Date => of_masks_or_any(&self.dates, 1, choices),
            Kind::Timestamp => of_masks_or_any(&self.timestamps, 1, choices),
            Kind::Zoned => format!(
                "cast({} as timestamp with time zone)",
                choices.one_of(&self.timestamps)
            ),
            Kind::Time => choices.one_of(&self.times),
            Kind::Bytes => choices.one_of(&self.bytes),
            Kind::FixedBytes | Kind::Ints | Kind::Texts | Kind::Place | Kind::Marks => "null".to_owned(),
        }
    }

    /// A literal beside a comparison, marked so that it can become a parameter.
    pub(crate) fn compared(&self, kind: &Kind, choices: &mut Choices) -> String {
        let literal = self.any(kind, choices);
        match kind {
            Kind::Int | Kind::Exact | Kind::Text | Kind::Date => format!("{OPEN}{literal}{CLOSE}"),
            _ => literal,
        }
    }

    /// Mostly a small one, which columns share.
    fn int(&self, choices: &mut Choices) -> String {
        if choices.chance(25) {
            choices.one_of(&self.ints)
        } else {
            self.ints[choices.below(8)].clone()
        }
    }

    /// A part of a text, for patterns: never with a quote or a wildcard.
    pub(crate) fn fragment(&self, choices: &mut Choices) -> String {
        let text = choices.one_of(&self.texts);
        let characters: Vec<char> = text
            .chars()
            .filter(|character| !"'%_()".contains(*character))
            .collect();
        if characters.is_empty() {
            return "x".to_owned();
        }
        let start = choices.below(characters.len());
        let length = 1 + choices.below(6);
        characters.iter().skip(start).take(length).collect()
    }
}

/// Texts at the front that masks may show.
const OF_MASKS: usize = 3;

/// One of the first, which masks show and files do not hold, or any: pruning by hidden values loses rows only for those.
fn of_masks_or_any(literals: &[String], of_masks: usize, choices: &mut Choices) -> String {
    if choices.chance(20) {
        literals[choices.below(of_masks)].clone()
    } else {
        choices.one_of(literals)
    }
}

const OPEN: char = '⟪';
const CLOSE: char = '⟫';

/// The statement with its marked literals, with a parameter for each of them, and what the parameters are.
pub(crate) fn parameters_of(marked: &str) -> (String, String, Vec<String>) {
    let (mut with_literals, mut with_parameters, mut found) = (String::new(), String::new(), Vec::new());
    let mut parts = marked.split(OPEN);
    let first = parts.next().unwrap();
    with_literals.push_str(first);
    with_parameters.push_str(first);
    for part in parts {
        let (literal, rest) = part.split_once(CLOSE).unwrap();
        // Equal expressions have to stay equal.
        let at = found.iter().position(|known| known == literal);
        let at = at.unwrap_or_else(|| {
            found.push(literal.to_owned());
            found.len() - 1
        });
        with_literals.push_str(literal);
        with_parameters.push_str(&format!("${}", at + 1));
        with_literals.push_str(rest);
        with_parameters.push_str(rest);
    }
    (with_literals, with_parameters, found)
}

/// In the unit of the columns; the engine cannot compare others in every place.
fn time(text: &str) -> String {
    format!("arrow_cast('{text}', 'Time64(Microsecond)')")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
