// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading requests.

use lakeward_authorization::securable_object::IllegalPrivilege;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::{Name, NameError};
use serde::de::DeserializeOwned;

/// Why a request was not understood. All are status 400 and code 1001; the type is `IllegalArgumentException`, except
/// where a variant says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// There is no body where one is needed.
    #[error("the request body must not be empty")]
    Empty,
    /// No JSON, or JSON of another shape.
    #[error("malformed json request: {0}")]
    Malformed(String),
    /// A member is absent.
    #[error("`{0}` is required and must not be empty")]
    Missing(String),
    /// A member has a value that its meaning forbids.
    #[error("`{member}`: {cause}")]
    Invalid {
        /// The path of the member, for instance `columns[2].type`.
        member: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A name breaks the rule of its kind.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A statistic has a reserved name (`IllegalStatisticNameException`).
    #[error("the name of a statistic must start with `custom-`, but `{0}` does not")]
    StatisticName(String),
    /// A role says of an object what no role may (`IllegalPrivilegeException`).
    #[error(transparent)]
    Privilege(#[from] IllegalPrivilege),
}

impl RequestError {
    /// A member with a wrong value.
    pub fn invalid(member: impl Into<String>, cause: impl ToString) -> Self {
        Self::Invalid {
            member: member.into(),
            cause: cause.to_string(),
        }
    }
}

/// Reads a body. The error names the member that is wrong.
///
/// # Errors
/// [`RequestError::Empty`] and [`RequestError::Malformed`].
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, RequestError> {
    match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => return Err(RequestError::Empty),
        // Else a list would be taken for the members of an object in the order of their declaration.
        Some(b'[') => {
            return Err(RequestError::Malformed(
                "a list is given, an object is expected".to_owned(),
            ));
        }
        Some(_) => {}
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value: T = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        RequestError::Malformed(if path == "." {
            cause.to_string()
        } else {
            format!("`{path}`: {cause}")
        })
    })?;
    deserializer
        .end()
        .map_err(|error| RequestError::Malformed(error.to_string()))?;
    Ok(value)
}

/// A member that must be there.
///
/// # Errors
/// [`RequestError::Missing`].
pub fn required<T>(member: &str, value: Option<T>) -> Result<T, RequestError> {
    value.ok_or_else(|| RequestError::Missing(member.to_owned()))
}

/// A text that must be there and hold more than blanks.
///
/// # Errors
/// [`RequestError::Missing`].
pub fn not_blank(member: &str, value: Option<String>) -> Result<String, RequestError> {
    value
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| RequestError::Missing(member.to_owned()))
}

/// A new name of a kind.
///
/// # Errors
/// [`RequestError::Missing`] without one, [`RequestError::Name`] for one that breaks the rule.
pub fn name(member: &str, kind: ObjectKind, value: Option<String>) -> Result<Name, RequestError> {
    Ok(Name::parse(kind, &not_blank(member, value)?)?)
}

/// A list that must be there and hold something.
///
/// # Errors
/// [`RequestError::Missing`].
pub fn not_empty<T>(member: &str, value: Option<Vec<T>>) -> Result<Vec<T>, RequestError> {
    value
        .filter(|list| !list.is_empty())
        .ok_or_else(|| RequestError::Missing(member.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{RequestError, not_blank, not_empty, read};

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, expecting = "an object")]
    struct Sample {
        name: Option<String>,
        items: Option<Vec<u8>>,
    }

    fn check(body: &str, expected: &str) {
        let found = read::<Sample>(body.as_bytes()).map_err(|error| error.to_string());
        assert_eq!(found, Err(expected.to_owned()), "{body}");
    }

    #[test]
    fn errors_name_member_and_cause() {
        check("  ", "the request body must not be empty");
        check(
            r#" ["a", [1]]"#,
            "malformed json request: a list is given, an object is expected",
        );
        check(
            "5",
            "malformed json request: invalid type: integer `5`, expected an object at line 1 column 1",
        );
        check(
            r#"{"name": 5}"#,
            "malformed json request: `name`: invalid type: integer `5`, expected a string at line 1 column 10",
        );
        check(
            r#"{"items": [1, "x"]}"#,
            "malformed json request: `items[1]`: invalid type: string \"x\", expected u8 at line 1 column 17",
        );
        check(
            r#"{"bogus": 1}"#,
            "malformed json request: `bogus`: unknown field `bogus`, expected `name` or `items` at line 1 column 8",
        );
        check(
            r#"{"name": "a"} x"#,
            "malformed json request: trailing characters at line 1 column 15",
        );
    }

    #[test]
    fn blank_and_empty_are_missing() {
        let missing = Err(RequestError::Missing("name".to_owned()));
        assert_eq!(not_blank("name", Some(" ".to_owned())), missing);
        assert_eq!(not_blank("name", None), missing);
        assert_eq!(
            not_empty::<u8>("items", Some(Vec::new())),
            Err(RequestError::Missing("items".to_owned()))
        );
    }
}
