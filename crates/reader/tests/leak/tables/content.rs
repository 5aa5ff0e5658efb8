// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is in the tables.

use iceberg::spec::Transform;
use lakeward_read_restrictions::value::Value;
use serde_json::{Value as Json, json};

use super::{Evolution, FilePlan, Plan, Row};
use crate::choices::Choices;

/// Makes values of which each that matters occurs once.
struct Values {
    choices: Choices,
    made: usize,
}

impl Values {
    fn of_table(number: usize) -> Self {
        Self {
            choices: Choices::of_seed(u64::try_from(number).unwrap()),
            // No two tables share a number.
            made: number * 1000,
        }
    }

    fn next(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    fn or_null(&mut self, value: Value) -> Value {
        if self.choices.chance(14) {
            Value::Null
        } else {
            value
        }
    }

    fn small(&mut self) -> Value {
        let value = i32::try_from(self.choices.below(6)).unwrap();
        self.or_null(Value::Int(value))
    }

    fn region(&mut self) -> Value {
        let value = self
            .choices
            .one_of(&["rgn-alpha", "rgn-bravo", "rgn-delta", "rgn-échelon"]);
        self.or_null(Value::String(value.to_owned()))
    }

    /// A text with a token that no other has; seldom a short one without.
    fn text(&mut self) -> Value {
        let number = self.next();
        let short = self.choices.below(12);
        let text = match short {
            0 => "é".to_owned(),
            1 => String::new(),
            2 => "12".to_owned(),
            _ => format!("{:04}-qz{number:05}zq-{:04}", number % 7919, number % 97),
        };
        self.or_null(Value::String(text))
    }

    fn required_text(&mut self) -> Value {
        let number = self.next();
        Value::String(format!("(note) qz{number:05}zq, Größe {}", number % 13))
    }

    fn long(&mut self) -> Value {
        let number = i64::try_from(self.next()).unwrap();
        self.or_null(Value::Long(700_000_000 + number * 1009))
    }

    /// Quarters: sums of them are exact in any order.
    fn quarters(&mut self) -> Value {
        let number = i32::try_from(self.next()).unwrap();
        self.or_null(Value::Double(f64::from(number * 37) / 4.0))
    }

    fn any_double(&mut self) -> Value {
        let number = i32::try_from(self.next()).unwrap();
        let value = match self.choices.below(6) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            _ => f64::from(number) * 1.1,
        };
        self.or_null(Value::Double(value))
    }

    fn float(&mut self) -> Value {
        let number = f32::from(i16::try_from(self.next() % 30_000).unwrap());
        let value = if self.choices.chance(10) {
            f32::NAN
        } else {
            number / 7.0
        };
        self.or_null(Value::Float(value))
    }

    fn decimal(&mut self, precision: u8, scale: u8) -> Value {
        let number = i128::try_from(self.next()).unwrap();
        self.or_null(Value::Decimal {
            unscaled: 123_000_000 + number * 1013,
            precision,
            scale,
        })
    }

    fn date(&mut self) -> Value {
        // Prime steps: days of 1950 to 1999 that no other row has.
        let number = i32::try_from(self.next()).unwrap();
        self.or_null(Value::Date(-7305 + (number * 7) % 18_000))
    }

    fn micros(&mut self) -> i64 {
        let number = i64::try_from(self.next()).unwrap();
        -400_000_000_000_000 + number * 86_412_345_678
    }

    fn boolean(&mut self) -> Value {
        let value = self.choices.chance(50);
        self.or_null(Value::Boolean(value))
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let number = self.next();
        let mut bytes = format!("{number:08x}").into_bytes();
        bytes.extend((0..length).map(|at| u8::try_from((number * 31 + at * 17) % 251).unwrap()));
        bytes.truncate(length);
        bytes
    }
}

fn optional(id: i32, name: &str, field_type: impl Into<Json>) -> Json {
    json!({"id": id, "name": name, "type": field_type.into(), "required": false})
}

fn required(id: i32, name: &str, field_type: impl Into<Json>) -> Json {
    json!({"id": id, "name": name, "type": field_type.into(), "required": true})
}

fn schema(fields: Vec<Json>) -> Json {
    json!({"type": "struct", "schema-id": 0, "fields": fields})
}

fn id(number: usize) -> Value {
    Value::Int(i32::try_from(number).unwrap())
}

fn files(rows: Vec<Row>, per_file: usize) -> Vec<FilePlan> {
    rows.chunks(per_file)
        .map(|rows| FilePlan {
            rows: rows.to_vec(),
            deleted: Vec::new(),
        })
        .collect()
}

fn plan(name: &'static str, schema: Json, files: Vec<FilePlan>) -> Plan {
    Plan {
        name,
        schema,
        partition: Vec::new(),
        rows_per_group: 1000,
        files,
        evolution: None,
    }
}

/// All tables, in a fixed order.
pub(crate) fn plans() -> Vec<Plan> {
    vec![
        people(),
        orders(),
        parts(),
        nested(),
        removed(),
        evolved(),
        sparse(),
        plan(
            "nothing",
            schema(vec![
                required(1, "id", "int"),
                optional(2, "k", "int"),
                optional(3, "name", "string"),
            ]),
            Vec::new(),
        ),
    ]
}

/// Three files of several row groups.
fn people() -> Plan {
    let mut v = Values::of_table(1);
    let rows = (1..=30)
        .map(|number| {
            vec![
                id(number),
                v.small(),
                v.region(),
                v.text(),
                v.required_text(),
                v.date(),
                v.long(),
                v.quarters(),
                v.decimal(12, 2),
                v.boolean(),
            ]
        })
        .collect();
    let fields = vec![
        required(1, "id", "int"),
        optional(2, "k", "int"),
        optional(3, "region", "string"),
        optional(4, "card", "string"),
        required(5, "note", "string"),
        optional(6, "born", "date"),
        optional(7, "income", "long"),
        optional(8, "score", "double"),
        optional(9, "balance", "decimal(12,2)"),
        optional(10, "active", "boolean"),
    ];
    let mut plan = plan("people", schema(fields), files(rows, 12));
    plan.rows_per_group = 4;
    plan
}

/// Partitioned by region and by year, so every file has its partition.
fn orders() -> Plan {
    let mut v = Values::of_table(2);
    let mut rows: Vec<Row> = (1..=24)
        .map(|number| {
            let day = match v.date() {
                Value::Date(day) => Value::Date(day.rem_euclid(3) * 366),
                other => other,
            };
            let seen = v.micros();
            let zoned = v.micros();
            vec![
                id(number),
                v.small(),
                v.region(),
                day,
                Value::Timestamp(seen),
                v.or_null_timestamptz(zoned),
                v.decimal(9, 2),
                v.text(),
            ]
        })
        .collect();
    // The reader's files are cut by partition: neighbours share one.
    let key = |row: &Row| format!("{:?}{:?}", row[2], row[3]);
    rows.sort_by_key(key);
    let mut parts: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        match parts.last_mut() {
            Some(part) if key(&part[0]) == key(&row) => part.push(row),
            _ => parts.push(vec![row]),
        }
    }
    let files = parts
        .into_iter()
        .map(|rows| FilePlan {
            rows,
            deleted: Vec::new(),
        })
        .collect();
    let fields = vec![
        required(1, "id", "int"),
        optional(2, "k", "int"),
        optional(3, "region", "string"),
        optional(4, "day", "date"),
        required(5, "placed", "timestamp"),
        optional(6, "shipped", "timestamptz"),
        optional(7, "amount", "decimal(9,2)"),
        optional(8, "code", "string"),
    ];
    let mut plan = plan("orders", schema(fields), files);
    plan.partition = vec![
        (3, "region", Transform::Identity),
        (4, "day_year", Transform::Year),
    ];
    plan
}

/// The seldom types.
fn parts() -> Plan {
    let mut v = Values::of_table(3);
    let rows = (1..=16)
        .map(|number| {
            let uuid = v.bytes(16).try_into().unwrap();
            let (fixed, binary) = (v.bytes(5), v.bytes(12));
            let (time, nanos, zoned) = (v.micros().rem_euclid(86_400_000_000), v.micros(), v.micros());
            vec![
                id(number),
                v.small(),
                v.or_null(Value::Uuid(uuid)),
                v.or_null(Value::Fixed(fixed)),
                v.or_null(Value::Binary(binary)),
                v.or_null(Value::Time(time)),
                v.float(),
                v.any_double(),
                v.or_null(Value::Timestamp(nanos)),
                v.or_null(Value::Timestamptz(zoned)),
            ]
        })
        .collect();
    let fields = vec![
        required(1, "id", "int"),
        optional(2, "k", "int"),
        optional(3, "u", "uuid"),
        optional(4, "f", "fixed[5]"),
        optional(5, "b", "binary"),
        optional(6, "at", "time"),
        optional(7, "weight", "float"),
        optional(8, "ratio", "double"),
        optional(9, "seen", "timestamp"),
        optional(10, "zoned", "timestamptz"),
    ];
    plan("parts", schema(fields), files(rows, 9))
}

/// Structs, lists and maps beside plain columns.
fn nested() -> Plan {
    let mut v = Values::of_table(4);
    let rows = (1..=14)
        .map(|number| {
            let place = Value::Struct(vec![(11, v.small()), (12, v.text())]);
            let words = (0..v.choices.below(4)).map(|_| v.text()).collect();
            let sizes = (0..v.choices.below(4)).map(|_| v.small()).collect();
            let names = ["x", "y", "z"];
            let marks = (0..v.choices.below(4))
                .map(|at| (Value::String(names[at].to_owned()), v.small()))
                .collect();
            vec![
                id(number),
                v.small(),
                v.or_null(place),
                v.or_null(Value::List(words)),
                v.or_null(Value::List(sizes)),
                v.or_null(Value::Map(marks)),
                v.text(),
            ]
        })
        .collect();
    let list = |element: i32, field_type: &str| json!({"type": "list", "element-id": element, "element": field_type, "element-required": false});
    let fields = vec![
        required(1, "id", "int"),
        optional(2, "k", "int"),
        optional(
            3,
            "place",
            json!({"type": "struct", "fields": [optional(11, "a", "int"), optional(12, "b", "string")]}),
        ),
        optional(4, "words", list(13, "string")),
        optional(5, "sizes", list(14, "int")),
        optional(
            6,
            "marks",
            json!({"type": "map", "key-id": 15, "key": "string", "value-id": 16, "value": "int", "value-required": false}),
        ),
        optional(7, "name", "string"),
    ];
    plan("nested", schema(fields), files(rows, 5))
}

/// Rows removed by position.
fn removed() -> Plan {
    let mut v = Values::of_table(5);
    let rows = (1..=20)
        .map(|number| vec![id(number), v.small(), v.region(), v.text(), v.long(), v.date()])
        .collect();
    let fields = vec![
        required(1, "id", "int"),
        optional(2, "k", "int"),
        optional(3, "region", "string"),
        optional(4, "name", "string"),
        optional(5, "amount", "long"),
        optional(6, "day", "date"),
    ];
    let mut files = files(rows, 8);
    files[0].deleted = vec![0, 3, 7];
    files[1].deleted = vec![1];
    let mut plan = plan("removed", schema(fields), files);
    plan.rows_per_group = 3;
    plan
}

/// A column added, others renamed, reordered and promoted.
fn evolved() -> Plan {
    let mut v = Values::of_table(6);
    let early = (1..=8)
        .map(|number| vec![id(number), v.small(), v.text(), v.float(), v.decimal(9, 2)])
        .collect();
    let late = (9..=18)
        .map(|number| {
            vec![
                id(number),
                v.small(),
                v.text(),
                v.float(),
                v.decimal(9, 2),
                v.text(),
            ]
        })
        .collect();
    let fields = vec![
        required(1, "id", "int"),
        optional(2, "k", "int"),
        optional(3, "old_name", "string"),
        optional(4, "weight", "float"),
        optional(5, "amount", "decimal(9,2)"),
    ];
    let mut plan = plan("evolved", schema(fields), files(early, 4));
    plan.evolution = Some(Evolution {
        added: "added",
        files: files(late, 5),
        fields: json!([
            required(1, "id", "long"),
            optional(6, "label", "string"),
            optional(3, "name", "string"),
            optional(2, "k", "long"),
            optional(5, "amount", "decimal(18,2)"),
            optional(4, "weight", "double"),
        ]),
        order: vec![0, 5, 2, 1, 4, 3],
    });
    plan
}

/// Many small files, some of which have only nulls in a column.
fn sparse() -> Plan {
    let mut v = Values::of_table(7);
    let files = (0..8)
        .map(|file| {
            let rows = (1..=3)
                .map(|row| {
                    let (k, amount) = match file % 4 {
                        0 => (Value::Null, Value::Null),
                        1 => (Value::Int(file), v.long()),
                        2 => (Value::Int(5), Value::Null),
                        _ => (v.small(), v.long()),
                    };
                    vec![Value::Int(file * 10 + row), k, v.region(), amount, v.text()]
                })
                .collect();
            FilePlan {
                rows,
                deleted: Vec::new(),
            }
        })
        .collect();
    let fields = vec![
        required(1, "id", "int"),
        optional(2, "k", "int"),
        optional(3, "region", "string"),
        optional(4, "amount", "long"),
        optional(5, "name", "string"),
    ];
    plan("sparse", schema(fields), files)
}

impl Values {
    fn or_null_timestamptz(&mut self, micros: i64) -> Value {
        self.or_null(Value::Timestamptz(micros))
    }
}
