// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes of parts of a resource (RFC 7644, section 3.5.2), with the habits of identity providers: `Replace` and `Add`
//! with a capital, truth values as texts, names with dots in values without a path, members to remove in the value.
//!
//! A change of an attribute of the standard that is not kept changes nothing, so that a provider may push all it has.

use std::collections::HashSet;

use serde_json::Value;

use crate::filter::{Filter, Parser, brackets};
use crate::list::message;
use crate::resource::{check_count, typed, typed_one};
use crate::schema::{Attribute, Mutability, Named, ResourceType, Type, find, resolve};
use crate::user::is_primary;
use crate::{Attributes, ScimError, ScimType};

#[cfg(test)]
mod tests;

/// The most operations of one change.
pub const MAX_OPERATIONS: usize = 1000;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Add,
    Replace,
    Remove,
}

/// One operation.
#[derive(Debug, Clone, PartialEq)]
struct Operation {
    verb: Verb,
    path: Option<String>,
    value: Option<Value>,
}

/// A whole change: all of it is done, or nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    operations: Vec<Operation>,
}

/// What an operation acts on.
enum Target {
    Attribute(&'static Attribute),
    Part(&'static Attribute, &'static Attribute),
    Values(&'static Attribute, Filter, Option<&'static Attribute>),
    NotKept,
}

impl Patch {
    /// Reads the body of a PATCH.
    ///
    /// # Errors
    /// `invalidSyntax` for what is no such body, `tooMany` for too many operations.
    pub fn from_body(body: &Value) -> Result<Self, ScimError> {
        const PATCH: &str = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
        let operations = member(message(body, PATCH)?, "Operations").and_then(Value::as_array);
        let operations = operations
            .filter(|operations| !operations.is_empty())
            .ok_or_else(|| syntax("`Operations` must be a list of at least one operation"))?;
        if operations.len() > MAX_OPERATIONS {
            let detail = format!("a change must not have more than {MAX_OPERATIONS} operations");
            return Err(ScimError::new(ScimType::TooMany, detail));
        }
        let operations = operations.iter().map(operation).collect::<Result<_, _>>()?;
        Ok(Self { operations })
    }

    /// Does it to what can be written of a resource.
    ///
    /// # Errors
    /// `invalidPath`, `noTarget`, `mutability`, `invalidValue`, `invalidFilter`: the first operation that cannot be done.
    pub fn apply(&self, of: ResourceType, mut resource: Attributes) -> Result<Attributes, ScimError> {
        for operation in &self.operations {
            match (&operation.path, &operation.value) {
                (Some(path), value) => {
                    let target = target(of, path)?;
                    act(&mut resource, operation.verb, &target, value.as_ref())?;
                }
                (None, Some(Value::Object(members))) if operation.verb != Verb::Remove => {
                    for (name, value) in members {
                        act_on_member(of, &mut resource, operation.verb, name, value)?;
                    }
                }
                (None, _) if operation.verb == Verb::Remove => {
                    return Err(ScimError::new(ScimType::NoTarget, "`remove` needs a `path`"));
                }
                (None, _) => {
                    return Err(syntax(
                        "without `path`, `value` must be an object with attributes",
                    ));
                }
            }
        }
        Ok(resource)
    }
}

fn operation(value: &Value) -> Result<Operation, ScimError> {
    let members = value
        .as_object()
        .ok_or_else(|| syntax("each operation must be an object"))?;
    let verb = member(members, "op")
        .and_then(Value::as_str)
        .map(str::to_ascii_lowercase);
    let verb = match verb.as_deref() {
        Some("add") => Verb::Add,
        Some("replace") => Verb::Replace,
        Some("remove") => Verb::Remove,
        Some(_) | None => return Err(syntax("`op` must be add, replace or remove")),
    };
    let path = match member(members, "path") {
        None | Some(Value::Null) => None,
        Some(Value::String(path)) if path.trim().is_empty() => None,
        Some(Value::String(path)) => Some(path.trim().to_owned()),
        Some(_) => return Err(syntax("`path` must be a text")),
    };
    Ok(Operation {
        verb,
        path,
        value: member(members, "value").cloned(),
    })
}

fn member<'a>(members: &'a Attributes, name: &str) -> Option<&'a Value> {
    members
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

fn syntax(detail: &str) -> ScimError {
    ScimError::new(ScimType::InvalidSyntax, detail)
}

fn target(of: ResourceType, path: &str) -> Result<Target, ScimError> {
    let refused = |what: &str| ScimError::new(ScimType::InvalidPath, format!("`{path}`: {what}"));
    let Some((begin, end)) = brackets(path) else {
        return match resolve(of, path) {
            Named::Attribute(attribute) => Ok(Target::Attribute(attribute)),
            Named::Part(attribute, part) => Ok(Target::Part(attribute, part)),
            Named::NotKept => Ok(Target::NotKept),
            Named::Unknown => Err(refused("no attribute is named so")),
        };
    };
    let (name, inner, rest) = (path.get(..begin - 1), path.get(begin..end), path.get(end + 1..));
    let (Some(name), Some(inner), Some(rest)) = (name, inner, rest) else {
        return Err(refused("no path"));
    };
    let attribute = match resolve(of, name) {
        Named::Attribute(attribute) => attribute,
        Named::NotKept => return Ok(Target::NotKept),
        Named::Part(..) | Named::Unknown => return Err(refused("no attribute is named so")),
    };
    let (Type::Complex(parts), true) = (attribute.kind, attribute.many) else {
        return Err(refused(
            "only an attribute with several values is chosen from by `[` and `]`",
        ));
    };
    let filter = Parser::new(inner)?.whole(parts, None)?;
    let part = match rest.strip_prefix('.') {
        None if rest.is_empty() => None,
        None => {
            return Err(refused(
                "`.` and the name of a part, or nothing, is expected after `]`",
            ));
        }
        Some(part) => Some(find(parts, part).ok_or_else(|| refused("no part is named so"))?),
    };
    Ok(Target::Values(attribute, filter, part))
}

/// One member of a value without a path. What only the server writes is passed over there, since providers send resources
/// as they know them.
fn act_on_member(
    of: ResourceType,
    resource: &mut Attributes,
    verb: Verb,
    name: &str,
    value: &Value,
) -> Result<(), ScimError> {
    if name.eq_ignore_ascii_case(of.urn()) {
        let members = value
            .as_object()
            .ok_or_else(|| syntax("the value of a schema must be an object"))?;
        for (name, value) in members {
            act_on_member(of, resource, verb, name, value)?;
        }
        return Ok(());
    }
    let target = target(of, name)?;
    if let Target::Attribute(attribute) | Target::Part(attribute, _) = &target
        && attribute.mutability == Mutability::ReadOnly
    {
        return Ok(());
    }
    act(resource, verb, &target, Some(value))
}

fn act(
    resource: &mut Attributes,
    verb: Verb,
    target: &Target,
    value: Option<&Value>,
) -> Result<(), ScimError> {
    let attribute = match target {
        Target::NotKept => return Ok(()),
        Target::Attribute(attribute) | Target::Part(attribute, _) | Target::Values(attribute, _, _) => {
            *attribute
        }
    };
    let mutability =
        |what: &str| ScimError::new(ScimType::Mutability, format!("`{}` {what}", attribute.name));
    if attribute.mutability == Mutability::ReadOnly {
        return Err(mutability("is written by the server only"));
    }
    if verb == Verb::Remove {
        // Taking `active` away must let nobody in.
        let stays = attribute.required || attribute.name == "active";
        if stays && matches!(target, Target::Attribute(_)) {
            return Err(mutability("cannot be removed; replace it"));
        }
        return remove(resource, target, value);
    }
    let value = value.ok_or_else(|| {
        let detail = format!("`{}` needs a `value`", attribute.name);
        ScimError::new(ScimType::InvalidValue, detail)
    })?;
    match target {
        Target::NotKept => {}
        Target::Attribute(attribute) => write(resource, verb, attribute, value)?,
        Target::Part(attribute, part) => write_part(resource, attribute, part, value)?,
        Target::Values(attribute, filter, part) => {
            write_values(resource, verb, (attribute, filter, *part), value)?;
        }
    }
    Ok(())
}

fn write(
    resource: &mut Attributes,
    verb: Verb,
    attribute: &Attribute,
    value: &Value,
) -> Result<(), ScimError> {
    let Some(new) = typed(attribute, value)? else {
        if attribute.required || attribute.name == "active" {
            let detail = format!("`{}` needs a value", attribute.name);
            return Err(ScimError::new(ScimType::InvalidValue, detail));
        }
        if verb == Verb::Replace {
            resource.remove(attribute.name);
        }
        return Ok(());
    };
    match (resource.get_mut(attribute.name), new) {
        (Some(Value::Array(values)), Value::Array(new)) if verb == Verb::Add => {
            let id = |value: &Value| value.get("value").and_then(Value::as_str).map(str::to_owned);
            let mut ids: HashSet<String> = values.iter().filter_map(id).collect();
            for value in new {
                let is_new = match id(&value).filter(|_| is_known_by_id(&value)) {
                    Some(id) => ids.insert(id),
                    None => !values.contains(&value),
                };
                if is_new {
                    add_value(values, value);
                }
            }
            check_count(attribute, values.len())?;
        }
        // The parts that are not named stay.
        (Some(Value::Object(parts)), Value::Object(new)) => parts.extend(new),
        (_, new) => {
            resource.insert(attribute.name.to_owned(), new);
        }
    }
    Ok(())
}

/// Whether two values of an attribute are one if they have the same `value`: members, and what says nothing else.
fn is_known_by_id(value: &Value) -> bool {
    let says = |part: &str| value.get(part).is_some();
    let is_member = value.get("type").and_then(Value::as_str) == Some("User");
    is_member || !(says("type") || says("primary"))
}

/// A further value; if it is the preferred one, no other is.
fn add_value(values: &mut Vec<Value>, value: Value) {
    if is_primary(&value) {
        for parts in values.iter_mut().filter_map(Value::as_object_mut) {
            parts.remove("primary");
        }
    }
    values.push(value);
}

fn write_part(
    resource: &mut Attributes,
    attribute: &Attribute,
    part: &Attribute,
    value: &Value,
) -> Result<(), ScimError> {
    if attribute.many {
        let detail = format!(
            "`{0}.{1}`: `{0}` has several values; say which by `{0}[…].{1}`",
            attribute.name, part.name
        );
        return Err(ScimError::new(ScimType::InvalidPath, detail));
    }
    let value = typed_one(part, value)?;
    let mut parts = match resource.remove(attribute.name) {
        Some(Value::Object(parts)) => parts,
        Some(_) | None => Attributes::new(),
    };
    set_part(&mut parts, part, value);
    if !parts.is_empty() {
        resource.insert(attribute.name.to_owned(), Value::Object(parts));
    }
    Ok(())
}

fn set_part(parts: &mut Attributes, part: &Attribute, value: Option<Value>) {
    match value {
        Some(value) => {
            parts.insert(part.name.to_owned(), value);
        }
        None => {
            parts.remove(part.name);
        }
    }
}

type ValuesTarget<'a> = (&'a Attribute, &'a Filter, Option<&'a Attribute>);

fn write_values(
    resource: &mut Attributes,
    verb: Verb,
    (attribute, filter, part): ValuesTarget<'_>,
    value: &Value,
) -> Result<(), ScimError> {
    let new = match part {
        Some(part) => {
            Attributes::from_iter(typed_one(part, value)?.map(|value| (part.name.to_owned(), value)))
        }
        None => match typed_one(attribute, value)? {
            Some(Value::Object(parts)) => parts,
            Some(_) | None => Attributes::new(),
        },
    };
    let mut values = match resource.remove(attribute.name) {
        Some(Value::Array(values)) => values,
        Some(_) | None => Vec::new(),
    };
    let becomes_primary = new.get("primary") == Some(&Value::Bool(true));
    let mut found = false;
    for parts in values.iter_mut().filter_map(Value::as_object_mut) {
        if filter.matches(parts) {
            found = true;
            parts.extend(new.clone());
            if let (Some(part), true) = (part, new.is_empty()) {
                parts.remove(part.name);
            }
        } else if becomes_primary {
            parts.remove("primary");
        }
    }
    if !found {
        // What is added need not be there: `emails[type eq "work"].value` makes one of that type.
        let made = filter.as_value().filter(|_| verb == Verb::Add);
        let mut made = made.ok_or_else(|| {
            let detail = format!("none of `{}` is as the path says", attribute.name);
            ScimError::new(ScimType::NoTarget, detail)
        })?;
        made.extend(new);
        add_value(&mut values, Value::Object(made));
    }
    resource.insert(attribute.name.to_owned(), Value::Array(values));
    Ok(())
}

/// What is not there is gone: removing it is done.
fn remove(resource: &mut Attributes, target: &Target, value: Option<&Value>) -> Result<(), ScimError> {
    match target {
        Target::NotKept => {}
        Target::Attribute(attribute) => match value {
            // Entra names the members to remove in the value, and means no others.
            Some(value) if attribute.many && !value.is_null() => {
                let gone = typed(attribute, value)?;
                let gone = gone
                    .as_ref()
                    .and_then(Value::as_array)
                    .map(Vec::as_slice)
                    .unwrap_or_default();
                retain(resource, attribute, |known| {
                    !gone.iter().any(|gone| gone.get("value") == known.get("value"))
                });
            }
            Some(_) | None => {
                resource.remove(attribute.name);
            }
        },
        Target::Part(attribute, part) => {
            let parts = resource.get_mut(attribute.name).map(|value| match value {
                Value::Array(values) => values.iter_mut().filter_map(Value::as_object_mut).collect(),
                other @ (Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Object(_)) => other.as_object_mut().into_iter().collect::<Vec<_>>(),
            });
            for parts in parts.into_iter().flatten() {
                parts.remove(part.name);
            }
        }
        Target::Values(attribute, filter, None) => retain(resource, attribute, |known| {
            !known.as_object().is_some_and(|parts| filter.matches(parts))
        }),
        Target::Values(attribute, filter, Some(part)) => {
            let values = resource.get_mut(attribute.name).and_then(Value::as_array_mut);
            for parts in values.into_iter().flatten().filter_map(Value::as_object_mut) {
                if filter.matches(parts) {
                    parts.remove(part.name);
                }
            }
        }
    }
    Ok(())
}

fn retain(resource: &mut Attributes, attribute: &Attribute, stays: impl Fn(&Value) -> bool) {
    let is_left = match resource.get_mut(attribute.name).and_then(Value::as_array_mut) {
        Some(values) => {
            values.retain(stays);
            !values.is_empty()
        }
        None => true,
    };
    if !is_left {
        resource.remove(attribute.name);
    }
}
