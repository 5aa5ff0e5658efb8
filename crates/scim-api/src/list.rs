// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists: what is asked for, by query or by `/.search`, and the answer (RFC 7644, sections 3.4.2 and 3.4.3).

use serde_json::{Value, json};

use crate::projection::{Projection, names};
use crate::{Attributes, ScimError, ScimType};

/// The most resources of one answer.
pub const MAX_COUNT: usize = 200;
/// The resources of one answer where nothing is said.
const DEFAULT_COUNT: usize = 100;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// A filter as it was sent.
    pub filter: Option<String>,
    /// The first resource, from 1.
    pub start_index: usize,
    /// The most resources of the answer.
    pub count: usize,
    /// Which attributes.
    pub projection: Projection,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            filter: None,
            start_index: 1,
            count: DEFAULT_COUNT,
            projection: Projection::default(),
        }
    }
}

impl Query {
    /// Out of the parameters of a query; what is not known is ignored.
    ///
    /// # Errors
    /// `invalidValue` for numbers that are none.
    pub fn from_parameters<'a>(
        parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, ScimError> {
        let mut query = Self::default();
        for (name, value) in parameters {
            match name.to_ascii_lowercase().as_str() {
                "filter" if !value.trim().is_empty() => query.filter = Some(value.to_owned()),
                "startindex" => query.start_index = first(number(name, value.parse().ok())?),
                "count" => query.count = most(number(name, value.parse().ok())?),
                "attributes" => query.projection.attributes = names(value),
                "excludedattributes" => query.projection.excluded = names(value),
                _ => {}
            }
        }
        Ok(query)
    }

    /// Out of the body of `/.search`.
    ///
    /// # Errors
    /// `invalidSyntax` for what is no such body; `invalidValue` for values of other types.
    pub fn from_body(body: &Value) -> Result<Self, ScimError> {
        const SEARCH: &str = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";
        let members = message(body, SEARCH)?;
        let refused = |name: &str, what: &str| {
            ScimError::new(ScimType::InvalidValue, format!("`{name}` must be {what}"))
        };
        let texts = |name: &str, value: &Value| {
            let values = value.as_array().ok_or_else(|| refused(name, "a list of texts"))?;
            let texts = values.iter().map(|value| value.as_str().map(str::to_owned));
            texts
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| refused(name, "a list of texts"))
        };
        let mut query = Self::default();
        for (name, value) in members {
            match name.to_ascii_lowercase().as_str() {
                "filter" => {
                    let text = value.as_str().ok_or_else(|| refused(name, "a text"))?;
                    query.filter = (!text.trim().is_empty()).then(|| text.to_owned());
                }
                "startindex" => query.start_index = first(number(name, value.as_i64())?),
                "count" => query.count = most(number(name, value.as_i64())?),
                "attributes" => query.projection.attributes = texts(name, value)?,
                "excludedattributes" => query.projection.excluded = texts(name, value)?,
                _ => {}
            }
        }
        Ok(query)
    }

    /// How many resources come before the answer.
    pub const fn offset(&self) -> usize {
        self.start_index.saturating_sub(1)
    }
}

fn number(name: &str, value: Option<i64>) -> Result<i64, ScimError> {
    value.ok_or_else(|| ScimError::new(ScimType::InvalidValue, format!("`{name}` must be a whole number")))
}

/// What is less than 1 means 1.
fn first(value: i64) -> usize {
    usize::try_from(value.max(1)).unwrap_or(usize::MAX)
}

/// What is less than 0 means 0.
fn most(value: i64) -> usize {
    usize::try_from(value.max(0)).unwrap_or(usize::MAX).min(MAX_COUNT)
}

/// The members of a body that says by its schema which message it is.
///
/// # Errors
/// `invalidSyntax` for a body that is none.
pub(crate) fn message<'a>(body: &'a Value, urn: &str) -> Result<&'a Attributes, ScimError> {
    let refused = || {
        let detail = format!("the body must be a JSON object with `{urn}` among its `schemas`");
        ScimError::new(ScimType::InvalidSyntax, detail)
    };
    let members = body.as_object().ok_or_else(refused)?;
    let schemas = members
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("schemas"));
    let schemas = schemas
        .and_then(|(_, value)| value.as_array())
        .ok_or_else(refused)?;
    let is_it = |schema: &Value| {
        schema
            .as_str()
            .is_some_and(|schema| schema.eq_ignore_ascii_case(urn))
    };
    if schemas.iter().any(is_it) {
        Ok(members)
    } else {
        Err(refused())
    }
}

/// The answer with one page.
pub fn list_response(total: usize, start_index: usize, resources: Vec<Value>) -> Value {
    json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
        "totalResults": total,
        "startIndex": start_index,
        "itemsPerPage": resources.len(),
        "Resources": resources,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(parameters: &[(&str, &str)], expected: Result<(usize, usize), &str>) {
        let query = Query::from_parameters(parameters.iter().copied());
        let found = query.map(|query| (query.start_index, query.count));
        assert_eq!(
            found.as_ref().map_err(|error| error.detail.as_str()).copied(),
            expected,
            "{parameters:?}"
        );
    }

    #[test]
    fn pages_are_within_bounds() {
        check(&[], Ok((1, 100)));
        check(&[("startIndex", "0"), ("count", "-1")], Ok((1, 0)));
        check(&[("STARTINDEX", "7"), ("count", "100000")], Ok((7, MAX_COUNT)));
        check(&[("count", "x")], Err("`count` must be a whole number"));
        check(&[("startIndex", "")], Err("`startIndex` must be a whole number"));
        check(&[("sortBy", "userName"), ("filter", " ")], Ok((1, 100)));
    }

    #[test]
    fn the_body_of_a_search_is_the_same() {
        let urn = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";
        let body =
            json!({"schemas": [urn], "filter": "x pr", "startIndex": 2, "count": 3, "attributes": ["id"]});
        let query = Query::from_body(&body);
        let by_query = [
            ("filter", "x pr"),
            ("startIndex", "2"),
            ("count", "3"),
            ("attributes", "id"),
        ];
        assert_eq!(query, Query::from_parameters(by_query));
        for body in [
            json!([]),
            json!({}),
            json!({"schemas": ["x"]}),
            json!({"schemas": [urn], "count": "3"}),
        ] {
            assert!(Query::from_body(&body).is_err(), "{body}");
        }
    }
}
