// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a body to canonical attributes, and what every resource shows of itself.

use lakeward_metadata::directory::MAX_GROUP_MEMBERS;
use lakeward_metadata::instant::instant;
use lakeward_metadata::principal::{ANONYMOUS, check_principal_name};
use serde_json::{Value, json};

use crate::filter::truth;
use crate::schema::{Attribute, Mutability, Named, ResourceType, Type, find, resolve};
use crate::{Attributes, ScimError, ScimType};

/// The longest text that is kept of what no decision reads, in characters.
const MAX_TEXT_CHARS: usize = 1024;
/// The most values of an attribute other than `members`.
const MAX_VALUES: usize = 32;

/// What the server says of a resource.
#[derive(Debug, Clone, Copy)]
pub struct Meta<'a> {
    /// Its id.
    pub id: &'a str,
    /// When it was made, in epoch milliseconds.
    pub created: i64,
    /// When it was changed last, in epoch milliseconds.
    pub modified: i64,
    /// How often it was changed.
    pub version: i64,
    /// The address of the protocol, up to `/scim/v2`.
    pub base: &'a str,
}

impl Meta<'_> {
    /// Where the resource is.
    pub fn location(&self, of: ResourceType) -> String {
        format!("{}{}/{}", self.base, of.endpoint(), self.id)
    }
}

/// The entity tag of a version.
pub fn entity_tag(version: i64) -> String {
    format!("W/\"{version}\"")
}

/// What of a body is kept: canonical names, values of their types, nothing that only the server writes. What no attribute is
/// named like is left out, and so is what has no value.
///
/// # Errors
/// `invalidSyntax` for a body that is no object or names an attribute twice; `invalidValue` for a value of another type.
pub fn written(of: ResourceType, body: &Value) -> Result<Attributes, ScimError> {
    let Value::Object(members) = body else {
        return Err(ScimError::new(
            ScimType::InvalidSyntax,
            "the body must be a JSON object",
        ));
    };
    let mut kept = Attributes::new();
    for (name, value) in members {
        let Named::Attribute(attribute) = resolve(of, name) else {
            continue;
        };
        if attribute.mutability == Mutability::ReadOnly {
            continue;
        }
        put_once(&mut kept, attribute, value)?;
    }
    Ok(kept)
}

fn put_once(kept: &mut Attributes, attribute: &Attribute, value: &Value) -> Result<(), ScimError> {
    let Some(value) = typed(attribute, value)? else {
        return Ok(());
    };
    match kept.insert(attribute.name.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(ScimError::new(
            ScimType::InvalidSyntax,
            format!("`{}` is there twice", attribute.name),
        )),
    }
}

/// The value of an attribute in its type; `None` where there is none. One value in place of several is a list of one.
pub(crate) fn typed(attribute: &Attribute, value: &Value) -> Result<Option<Value>, ScimError> {
    if !attribute.many {
        return typed_one(attribute, value);
    }
    let values = match value {
        Value::Array(values) => values.iter().map(|value| typed_one(attribute, value)).collect(),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            Ok(vec![typed_one(attribute, other)?])
        }
    };
    let values: Vec<Value> = values?.into_iter().flatten().collect::<Vec<Value>>();
    check_count(attribute, values.len())?;
    Ok((!values.is_empty()).then(|| Value::Array(values)))
}

/// Refuses more values than an attribute can have.
pub(crate) fn check_count(attribute: &Attribute, count: usize) -> Result<(), ScimError> {
    let most = if attribute.name == "members" {
        MAX_GROUP_MEMBERS
    } else {
        MAX_VALUES
    };
    if count > most {
        let detail = format!("`{}` must not have more than {most} values", attribute.name);
        return Err(ScimError::new(ScimType::InvalidValue, detail));
    }
    Ok(())
}

pub(crate) fn typed_one(attribute: &Attribute, value: &Value) -> Result<Option<Value>, ScimError> {
    let unfit = |expected: &str| {
        ScimError::new(
            ScimType::InvalidValue,
            format!("`{}` must be {expected}", attribute.name),
        )
    };
    match (attribute.kind, value) {
        (_, Value::Null) => Ok(None),
        (Type::Boolean, Value::Bool(_)) => Ok(Some(value.clone())),
        // Entra writes truth values as texts.
        (Type::Boolean, Value::String(text)) => truth(text)
            .map(|truth| Some(truth.into()))
            .ok_or_else(|| unfit("true or false")),
        (Type::Boolean, _) => Err(unfit("true or false")),
        (Type::Text { .. } | Type::Reference | Type::Time, Value::String(text)) => {
            if text.chars().count() > MAX_TEXT_CHARS || text.contains('\0') {
                return Err(unfit(&format!(
                    "a text of at most {MAX_TEXT_CHARS} characters without U+0000"
                )));
            }
            Ok((!text.is_empty()).then(|| value.clone()))
        }
        (Type::Text { .. } | Type::Reference | Type::Time, _) => Err(unfit("a text")),
        (Type::Complex(parts), Value::Object(members)) => {
            let mut kept = Attributes::new();
            for (name, value) in members {
                if let Some(part) = find(parts, name) {
                    put_once(&mut kept, part, value)?;
                }
            }
            Ok((!kept.is_empty()).then(|| Value::Object(kept)))
        }
        (Type::Complex(parts), Value::String(_)) if attribute.many => {
            let part = find(parts, "value").ok_or_else(|| unfit("an object"))?;
            let value = typed_one(part, value)?;
            Ok(value.map(|value| json!({part.name: value})))
        }
        (Type::Complex(_), _) => Err(unfit("an object")),
    }
}

/// A name that callers can have, taken out of the attributes.
pub(crate) fn name_of(attributes: &mut Attributes, member: &'static str) -> Result<String, ScimError> {
    let refused = |what: &str| ScimError::new(ScimType::InvalidValue, format!("`{member}` {what}"));
    let Some(name) = taken_text(attributes, member) else {
        return Err(refused("is required"));
    };
    check_principal_name(member, &name)
        .map_err(|error| ScimError::new(ScimType::InvalidValue, error.to_string()))?;
    if name.trim() != name || name.is_empty() {
        return Err(refused("must not begin or end with a space"));
    }
    if name.eq_ignore_ascii_case(ANONYMOUS) {
        return Err(refused("must not be the name of those who are nobody"));
    }
    Ok(name)
}

/// The id that the identity provider gave, taken out of the attributes.
pub(crate) fn external_id_of(attributes: &mut Attributes) -> Result<Option<String>, ScimError> {
    let id = taken_text(attributes, "externalId");
    if let Some(id) = &id {
        check_principal_name("externalId", id)
            .map_err(|error| ScimError::new(ScimType::InvalidValue, error.to_string()))?;
    }
    Ok(id)
}

fn taken_text(attributes: &mut Attributes, name: &str) -> Option<String> {
    match attributes.remove(name) {
        Some(Value::String(text)) => Some(text),
        Some(_) | None => None,
    }
}

/// The attributes with what the server says of the resource around them.
pub(crate) fn shown(of: ResourceType, meta: Meta<'_>, attributes: Attributes) -> Attributes {
    let mut shown = Attributes::new();
    shown.insert("schemas".to_owned(), json!([of.urn()]));
    shown.insert("id".to_owned(), json!(meta.id));
    shown.extend(attributes);
    shown.insert(
        "meta".to_owned(),
        json!({
            "resourceType": of.name(),
            "created": instant(meta.created),
            "lastModified": instant(meta.modified),
            "location": meta.location(of),
            "version": entity_tag(meta.version),
        }),
    );
    shown
}
