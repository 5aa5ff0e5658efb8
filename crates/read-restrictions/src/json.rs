// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading and writing the `read-restrictions` member: the closed profile of the language reference, section 9, and nothing else.
//!
//! Whatever a reader does not know might be a restriction, so everything unknown is refused, at every level.

mod object;
mod predicate;
mod strict;

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::action::MaskAction;
use crate::error::ReaderError;
use crate::field::Field;
use crate::restrictions::{DuplicateProjection, ReadRestrictions, RequiredColumnProjection};
use object::Object;

pub use strict::parse_strict;

impl ReadRestrictions {
    /// Reads restrictions against the top-level fields of the schema that they came with. `null` restricts nothing.
    ///
    /// # Errors
    /// [`ReaderError`] for everything outside the closed profile. A repeated member of an object cannot be seen in a
    /// [`Value`]; use [`Self::parse_text`] on what a server sent.
    pub fn parse(json: &Value, fields: &[Field]) -> Result<Self, ReaderError> {
        if json.is_null() {
            return Ok(Self::none());
        }
        let fields = FieldsById::new(fields);
        let object = Object::new(json, "")?;
        object.only(&["required-row-filter", "required-column-projections"])?;
        let row_filter = match object.get("required-row-filter") {
            None | Some(Value::Null) => None,
            Some(filter) => Some(predicate::parse(filter, "/required-row-filter", &fields)?),
        };
        let projections = match object.get("required-column-projections") {
            None => Vec::new(),
            Some(projections) => parse_projections(projections, &fields)?,
        };
        Self::combine(row_filter, projections)
            .map_err(|DuplicateProjection { field_id }| ReaderError::DuplicateProjection { field_id })
    }

    /// As [`Self::parse`], from text; a repeated member of any object is refused too.
    ///
    /// # Errors
    /// [`ReaderError::NotJson`] when the text is no JSON or repeats a member, else as [`Self::parse`].
    pub fn parse_text(text: &str, fields: &[Field]) -> Result<Self, ReaderError> {
        Self::parse(&parse_strict(text)?, fields)
    }

    /// The restrictions as a JSON value; for exact bytes use [`Self::wire_json`] or serialize. `false`, which every reader
    /// refuses, should the text ever be no JSON (a literal that is not finite).
    pub fn to_json(&self) -> Value {
        parse_strict(&self.wire_json()).unwrap_or(Value::Bool(false))
    }
}

impl Serialize for ReadRestrictions {
    /// Writes the canonical bytes unchanged. Works with serde_json alone.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = &self.written().wire;
        if let Some(wire) = written.get() {
            return wire.serialize(serializer);
        }
        let wire = RawValue::from_string(self.wire_json()).map_err(serde::ser::Error::custom)?;
        written.get_or_init(|| wire).serialize(serializer)
    }
}

/// The top-level fields by id; an id that is not positive or is used twice is no way to find a field.
struct FieldsById<'a>(HashMap<i32, Option<&'a Field>>);

impl<'a> FieldsById<'a> {
    fn new(fields: &'a [Field]) -> Self {
        let mut by_id = HashMap::with_capacity(fields.len());
        for field in fields.iter().filter(|field| field.id > 0) {
            by_id
                .entry(field.id)
                .and_modify(|known| *known = None)
                .or_insert(Some(field));
        }
        Self(by_id)
    }

    /// The field that a JSON number names.
    fn find(&self, id: &Value, at: &str) -> Result<&'a Field, ReaderError> {
        let Some(field_id) = id.as_i64().and_then(|id| i32::try_from(id).ok()) else {
            return Err(ReaderError::Malformed {
                at: at.to_owned(),
                problem: "a field id must be an integer".to_owned(),
            });
        };
        self.0
            .get(&field_id)
            .copied()
            .flatten()
            .ok_or_else(|| ReaderError::UnknownField {
                at: at.to_owned(),
                field_id,
            })
    }
}

fn parse_projections(
    json: &Value,
    fields: &FieldsById<'_>,
) -> Result<Vec<RequiredColumnProjection>, ReaderError> {
    const AT: &str = "/required-column-projections";
    let Value::Array(projections) = json else {
        return Err(ReaderError::Malformed {
            at: AT.to_owned(),
            problem: "an array was expected".to_owned(),
        });
    };
    projections
        .iter()
        .enumerate()
        .map(|(index, projection)| {
            let at = format!("{AT}/{index}");
            let object = Object::new(projection, &at)?;
            object.only(&["field-id", "action"])?;
            let field = fields.find(object.require("field-id")?, &at)?;
            let name = object.require_text("action")?;
            let action = MaskAction::from_name(name).ok_or_else(|| ReaderError::UnknownAction {
                at: at.clone(),
                action: name.to_owned(),
            })?;
            action.applies_to(field)?;
            Ok(RequiredColumnProjection {
                field_id: field.id,
                action,
            })
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests;
