// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `secretBindings` and `secretReferences`: settings whose values a provider of secrets keeps.
//!
//! Read by hand: an error of a generic reader would repeat the value that it did not expect.

use std::collections::BTreeMap;
use std::fmt;

use lakeward_metadata::Properties;
use lakeward_metadata::secret::{NewSecret, NewSecrets, Plaintext, URN_PREFIX, is_urn};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::request::RequestError;

/// The member of a request with secrets by property, not read yet. Not shown by `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SecretsDto(Value);

impl fmt::Debug for SecretsDto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// The secrets of a new object: `{"<property>": {"provider": …, "plaintext": …}}` of one member, `{"<property>":
/// {"provider": …, "attributes": {…}}}` of the other.
///
/// # Errors
/// [`RequestError::Invalid`] for other shapes, for a property that is given twice, and for one that pretends to be kept
/// by a provider.
pub(crate) fn secrets(
    properties: &Properties,
    bindings: Option<SecretsDto>,
    references: Option<SecretsDto>,
) -> Result<NewSecrets, RequestError> {
    if let Some((property, _)) = properties.iter().find(|(_, value)| is_urn(value)) {
        return Err(reserved_value(&format!("properties.{property}")));
    }
    let mut secrets = NewSecrets::new();
    let members = [
        ("secretBindings", bindings, binding as Read),
        ("secretReferences", references, reference),
    ];
    for (member, dto, read) in members {
        for (property, value) in by_property(member, dto)? {
            let at = format!("{member}.{property}");
            if property.trim().is_empty() {
                return Err(RequestError::invalid(
                    at,
                    "the name of a property may not be blank",
                ));
            }
            if properties.contains_key(&property) || secrets.contains_key(&property) {
                return Err(RequestError::invalid(
                    at,
                    "a property is given once: in `properties`, `secretBindings` or `secretReferences`",
                ));
            }
            let secret = read(&at, value)?;
            secrets.insert(property, secret);
        }
    }
    Ok(secrets)
}

/// Refuses a value that only the server may write.
pub(crate) fn not_a_urn(member: &str, value: &str) -> Result<(), RequestError> {
    if is_urn(value) {
        return Err(reserved_value(member));
    }
    Ok(())
}

fn reserved_value(member: &str) -> RequestError {
    RequestError::invalid(
        member,
        format!("a value that begins with `{URN_PREFIX}` is written by the server only"),
    )
}

type Read = fn(&str, Value) -> Result<NewSecret, RequestError>;

fn by_property(member: &str, dto: Option<SecretsDto>) -> Result<BTreeMap<String, Value>, RequestError> {
    match dto.map(|SecretsDto(value)| value) {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::Object(members)) => Ok(members.into_iter().collect()),
        Some(_) => Err(RequestError::invalid(member, "an object is expected")),
    }
}

fn binding(at: &str, value: Value) -> Result<NewSecret, RequestError> {
    let [provider, plaintext] = members(at, value, ["provider", "plaintext"])?;
    Ok(NewSecret::Binding {
        provider: name_of(at, provider)?,
        plaintext: match plaintext {
            Some(Value::String(text)) => Plaintext::new(text),
            None => return Err(RequestError::invalid(format!("{at}.plaintext"), "is required")),
            Some(_) => return Err(RequestError::invalid(format!("{at}.plaintext"), "must be text")),
        },
    })
}

fn reference(at: &str, value: Value) -> Result<NewSecret, RequestError> {
    let [provider, attributes] = members(at, value, ["provider", "attributes"])?;
    let wrong = || {
        RequestError::invalid(
            format!("{at}.attributes"),
            "an object with at least one member, each of them text, is required",
        )
    };
    let Some(Value::Object(attributes)) = attributes.filter(|value| *value != Value::Object(<_>::default()))
    else {
        return Err(wrong());
    };
    let mut read = BTreeMap::new();
    for (name, value) in attributes {
        let Value::String(value) = value else {
            return Err(wrong());
        };
        read.insert(name, value);
    }
    Ok(NewSecret::Reference {
        provider: name_of(at, provider)?,
        attributes: read,
    })
}

/// The members of an object that may have these and no others.
fn members(at: &str, value: Value, names: [&str; 2]) -> Result<[Option<Value>; 2], RequestError> {
    let Value::Object(mut object) = value else {
        return Err(RequestError::invalid(at, "an object is expected"));
    };
    let read = names.map(|name| object.remove(name));
    match object.keys().next() {
        None => Ok(read),
        Some(other) => Err(RequestError::invalid(
            format!("{at}.{other}"),
            format!("unknown member, expected `{}` and `{}`", names[0], names[1]),
        )),
    }
}

fn name_of(at: &str, provider: Option<Value>) -> Result<String, RequestError> {
    match provider {
        Some(Value::String(name)) if !name.trim().is_empty() => Ok(name),
        _ => Err(RequestError::invalid(
            format!("{at}.provider"),
            "the name of a provider of secrets is required",
        )),
    }
}
