// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! JSON text to a value without losing anything: a repeated member is refused, which a map would silently drop, and a
//! fraction becomes the nearest double, which serde_json alone does not promise.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::error::ReaderError;

const MAXIMUM_DEPTH: usize = 128;

/// Parses JSON text.
///
/// # Errors
/// [`ReaderError::NotJson`] for a repeated member, for text that is no JSON, for a number that neither 64-bit integers nor finite
/// doubles hold, and for nesting beyond 128 levels.
pub fn parse_strict(text: &str) -> Result<Value, ReaderError> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    read(raw, MAXIMUM_DEPTH)
}

fn read(raw: &RawValue, depth: usize) -> Result<Value, ReaderError> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(not_json(&"nested deeper than 128 levels"));
    };
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let Members(members) = serde_json::from_str(text).map_err(|error| not_json(&error))?;
            let mut object = Map::new();
            for (name, member) in members {
                if object.contains_key(&name) {
                    return Err(not_json(&format_args!("the member `{name}` is repeated")));
                }
                object.insert(name, read(member, depth)?);
            }
            Ok(Value::Object(object))
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
            elements
                .into_iter()
                .map(|element| read(element, depth))
                .collect::<Result<_, _>>()
                .map(Value::Array)
        }
        Some(b'-' | b'0'..=b'9') => number(text).map(Value::Number),
        Some(_) | None => serde_json::from_str(text).map_err(|error| not_json(&error)),
    }
}

fn number(text: &str) -> Result<Number, ReaderError> {
    let out_of_range = || not_json(&format_args!("the number {text} is out of range"));
    if text.contains(['.', 'e', 'E']) {
        // The standard library rounds to the nearest double.
        let value: f64 = text.parse().map_err(|_| out_of_range())?;
        return Number::from_f64(value).ok_or_else(out_of_range);
    }
    let signed = text.parse::<i64>().map(Number::from);
    signed
        .or_else(|_| text.parse::<u64>().map(Number::from))
        .map_err(|_| out_of_range())
}

fn not_json(problem: &dyn fmt::Display) -> ReaderError {
    ReaderError::NotJson {
        problem: problem.to_string(),
    }
}

/// The members of an object as written, repeated ones included.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(map.size_hint().unwrap_or(0));
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
