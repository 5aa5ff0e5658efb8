// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the library may be given of Avro schemas: it follows a type into itself until there is no stack left, and makes
//! room for so many items as a list says it has, whether or not there is anything of them in the file.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The deepest nesting of types.
const MAX_DEPTH: usize = 64;
/// The deepest nesting of arrays and maps; each makes room for its items before it reads them.
const MAX_LISTS: usize = 4;
/// The most values of one record, not counting items.
const MAX_VALUES: usize = 20_000;
/// The most values of one record that have no bytes in the file.
const MAX_EMPTY: usize = 100;

/// What a value of a type is made of.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    depth: usize,
    lists: usize,
    values: usize,
    /// Values without any byte in the file.
    empty: usize,
}

impl Shape {
    fn of_one(empty: bool) -> Self {
        Self {
            depth: 1,
            lists: 0,
            values: 1,
            empty: usize::from(empty),
        }
    }

    fn with(self, part: Self) -> Result<Self, String> {
        let whole = Self {
            depth: self.depth.max(part.depth.saturating_add(1)),
            lists: self.lists.max(part.lists),
            values: self.values.saturating_add(part.values),
            empty: self.empty.saturating_add(part.empty),
        };
        if whole.depth > MAX_DEPTH || whole.lists > MAX_LISTS {
            return Err("its schema nests too deep".to_owned());
        }
        if whole.values > MAX_VALUES || whole.empty > MAX_EMPTY {
            return Err("its schema has too many fields".to_owned());
        }
        Ok(whole)
    }
}

/// Checks that a schema is one that a file can be read with in bounded room.
///
/// # Errors
/// Why it is not.
pub(super) fn check(schema: &Value) -> Result<(), String> {
    Types::default().look(schema, 0).map(drop)
}

/// The named types before a place in a schema, by the last part of their names; `None` while one is being defined.
#[derive(Debug, Default)]
struct Types(HashMap<String, Option<Shape>>);

impl Types {
    fn look(&mut self, schema: &Value, depth: usize) -> Result<Shape, String> {
        if depth > MAX_DEPTH {
            return Err("its schema nests too deep".to_owned());
        }
        match schema {
            Value::String(name) => self.named(name),
            Value::Array(variants) => {
                let mut whole = Shape::of_one(false);
                for variant in variants {
                    let part = self.look(variant, depth + 1)?;
                    // Which one it is takes a byte.
                    let empty = if part.values == 1 { 0 } else { part.empty };
                    whole = whole.with(Shape { empty, ..part })?;
                }
                Ok(whole)
            }
            Value::Object(members) => self.complex(members, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) => Err("its schema is none of Avro".to_owned()),
        }
    }

    fn named(&self, name: &str) -> Result<Shape, String> {
        match name {
            "null" => Ok(Shape::of_one(true)),
            "boolean" | "int" | "long" | "float" | "double" | "bytes" | "string" => Ok(Shape::of_one(false)),
            _ => match self.0.get(last_part(name)) {
                Some(Some(shape)) => Ok(*shape),
                Some(None) => Err(format!("its schema has the type `{name}` inside itself")),
                None => Err(format!(
                    "its schema uses the type `{name}` before it says what it is"
                )),
            },
        }
    }

    fn complex(&mut self, members: &Map<String, Value>, depth: usize) -> Result<Shape, String> {
        let of = members.get("type").unwrap_or(&Value::Null);
        match of.as_str() {
            Some("record" | "error") => {
                let name = self.open(members)?;
                let fields = members.get("fields").and_then(Value::as_array);
                let fields = fields.ok_or("its schema has a record without fields")?;
                let mut whole = Shape::of_one(fields.is_empty());
                for field in fields {
                    let part = self.look(field.get("type").unwrap_or(&Value::Null), depth + 1)?;
                    whole = whole.with(part)?;
                }
                self.close(name, whole);
                Ok(whole)
            }
            Some("enum") => {
                let name = self.open(members)?;
                self.close(name, Shape::of_one(false));
                Ok(Shape::of_one(false))
            }
            Some("fixed") => {
                let name = self.open(members)?;
                let is_empty = members.get("size").and_then(Value::as_u64) == Some(0);
                self.close(name, Shape::of_one(is_empty));
                Ok(Shape::of_one(is_empty))
            }
            Some(list @ ("array" | "map")) => {
                let item = if list == "array" { "items" } else { "values" };
                let part = self.look(members.get(item).unwrap_or(&Value::Null), depth + 1)?;
                if part.empty > 0 {
                    return Err("its schema has lists of items that have nothing in them".to_owned());
                }
                Shape {
                    lists: part.lists + 1,
                    ..Shape::of_one(false)
                }
                .with(part)
            }
            _ => self.look(of, depth + 1),
        }
    }

    /// Begins a named type, and says what was known of the name before: the library takes one type of a name for another.
    fn open(&mut self, members: &Map<String, Value>) -> Result<(String, Shape), String> {
        let name = members.get("name").and_then(Value::as_str).unwrap_or_default();
        let name = last_part(name).to_owned();
        match self.0.insert(name.clone(), None) {
            Some(None) => Err(format!("its schema has the type `{name}` inside itself")),
            Some(Some(before)) => Ok((name, before)),
            None => Ok((name, Shape::default())),
        }
    }

    fn close(&mut self, (name, before): (String, Shape), shape: Shape) {
        let largest = Shape {
            depth: before.depth.max(shape.depth),
            lists: before.lists.max(shape.lists),
            values: before.values.max(shape.values),
            empty: before.empty.max(shape.empty),
        };
        self.0.insert(name, Some(largest));
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(name: &str, types: Vec<Value>) -> Value {
        let fields: Vec<Value> = types
            .into_iter()
            .enumerate()
            .map(|(at, of)| json!({"name": format!("f{at}"), "type": of}))
            .collect();
        json!({"type": "record", "name": name, "fields": fields})
    }

    #[test]
    fn a_type_inside_itself_is_refused() {
        for (of, told) in [
            (record("r", vec![json!("r")]), "inside itself"),
            (record("a.r", vec![json!(["null", "r"])]), "inside itself"),
            (
                record("r", vec![json!({"type": "array", "items": "a.r"})]),
                "inside itself",
            ),
            (record("r", vec![json!({"type": "r"})]), "inside itself"),
            (
                record("r", vec![record("r", vec![json!("int")])]),
                "inside itself",
            ),
            (
                record("r", vec![record("q", vec![]), record("q", vec![json!("q")])]),
                "inside itself",
            ),
            (record("r", vec![json!("alias")]), "before it says"),
        ] {
            let refused = check(&of).unwrap_err();
            assert!(refused.contains(told), "{of}: {refused}");
        }
        let twice = record(
            "r",
            vec![
                json!({"type": "fixed", "name": "x", "size": 16}),
                json!(["null", "x"]),
            ],
        );
        assert_eq!(check(&twice), Ok(()));
    }

    #[test]
    fn lists_of_nothing_are_refused() {
        let empty = [
            json!("null"),
            json!({"type": "null"}),
            record("e", vec![]),
            record("e", vec![record("i", vec![]), json!("null")]),
            json!({"type": "fixed", "name": "x", "size": 0}),
            json!({"type": {"type": "fixed", "name": "x", "size": 0}}),
        ];
        for of in empty {
            for list in [
                json!({"type": "array", "items": of}),
                json!({"type": "map", "values": of}),
            ] {
                let refused = check(&record("r", vec![list.clone()])).unwrap_err();
                assert!(refused.contains("nothing in them"), "{list}: {refused}");
            }
            assert_eq!(check(&record("r", vec![of])), Ok(()));
        }
        assert_eq!(
            check(&json!({"type": "array", "items": ["null", "long"]})),
            Ok(())
        );
    }

    #[test]
    fn what_nests_too_deep_or_grows_too_wide_is_refused() {
        let mut deep = json!("int");
        for at in 0..70 {
            deep = record(&format!("r{at}"), vec![deep]);
        }
        assert!(check(&deep).is_err());
        let mut lists = json!("int");
        for _ in 0..5 {
            lists = json!({"type": "array", "items": lists});
        }
        assert!(check(&lists).is_err());
        // Each is two of the one before.
        let mut doubled = vec![record("r0", vec![json!("int")])];
        for at in 1..40 {
            let before = format!("r{}", at - 1);
            doubled.push(record(&format!("r{at}"), vec![json!(before), json!(before)]));
        }
        assert!(check(&record("all", doubled)).is_err());
        assert!(check(&record("nulls", vec![json!("null"); 101])).is_err());
    }
}
