// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Sort orders.

use lakeward_metadata::sort_order::{SortDirection, SortOrder};
use serde_json::{Value, json};

use crate::expression;
use crate::json_object::Members;
use crate::request::RequestError;

/// Writes a sort order.
pub fn to_json(order: &SortOrder) -> Value {
    json!({
        "sortTerm": expression::to_json(&order.term),
        "direction": order.direction.as_str(),
        "nullOrdering": order.null_ordering.as_str(),
    })
}

/// Reads a sort order; `path` is where it stands in the request.
///
/// # Errors
/// [`RequestError`] for unknown words and for unknown, missing or wrong members.
pub fn from_json(value: &Value, path: &str) -> Result<SortOrder, RequestError> {
    let members = Members::of(value, path)?.only(&["sortTerm", "direction", "nullOrdering"])?;
    let direction = match members.text("direction")? {
        None => SortDirection::Ascending,
        Some(text) => text
            .parse()
            .map_err(|error| RequestError::invalid(members.at("direction"), error))?,
    };
    let null_ordering = match members.text("nullOrdering")? {
        None => direction.default_null_ordering(),
        Some(text) => text
            .parse()
            .map_err(|error| RequestError::invalid(members.at("nullOrdering"), error))?,
    };
    Ok(SortOrder {
        term: expression::from_json(members.required("sortTerm")?, &members.at("sortTerm"))?,
        direction,
        null_ordering,
    })
}
