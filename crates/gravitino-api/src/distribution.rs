// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Distributions.

use lakeward_metadata::distribution::{Distribution, DistributionStrategy};
use serde_json::{Value, json};

use crate::expression;
use crate::json_object::Members;
use crate::request::RequestError;

/// Writes a distribution.
pub fn to_json(distribution: &Distribution) -> Value {
    json!({
        "strategy": distribution.strategy.as_str(),
        "number": distribution.number,
        "funcArgs": distribution.expressions.iter().map(expression::to_json).collect::<Vec<_>>(),
    })
}

/// Reads a distribution; `path` is where it stands in the request. A missing strategy means hash.
///
/// # Errors
/// [`RequestError`] for unknown strategies and for unknown or wrong members.
pub fn from_json(value: &Value, path: &str) -> Result<Distribution, RequestError> {
    let members = Members::of(value, path)?.only(&["strategy", "number", "funcArgs"])?;
    let strategy = match members.text("strategy")? {
        None => DistributionStrategy::Hash,
        Some(text) => text
            .parse()
            .map_err(|error| RequestError::invalid(members.at("strategy"), error))?,
    };
    Ok(Distribution {
        strategy,
        number: members.integer("number")?.unwrap_or(0),
        expressions: members.each("funcArgs", expression::from_json)?,
    })
}
