// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Reading JSON objects whose shape depends on a member, with errors that name the path.

use serde_json::{Map, Value};

use crate::request::RequestError;

/// An object at a path of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members<'a> {
    object: &'a Map<String, Value>,
    path: &'a str,
}

impl<'a> Members<'a> {
    /// Takes `value` for an object.
    pub(crate) fn of(value: &'a Value, path: &'a str) -> Result<Self, RequestError> {
        match value.as_object() {
            Some(object) => Ok(Self { object, path }),
            None => Err(RequestError::invalid(
                path,
                format!("{} is given, an object is expected", kind(value)),
            )),
        }
    }

    /// Refuses members other than these.
    pub(crate) fn only(self, known: &[&str]) -> Result<Self, RequestError> {
        match self.object.keys().find(|key| !known.contains(&key.as_str())) {
            None => Ok(self),
            Some(unknown) => Err(RequestError::invalid(
                self.at(unknown),
                format!("unknown member, expected one of: {}", known.join(", ")),
            )),
        }
    }

    /// The path of a member.
    pub(crate) fn at(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    /// A member; null counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// A member that must be there.
    pub(crate) fn required(&self, name: &str) -> Result<&'a Value, RequestError> {
        self.get(name).ok_or_else(|| RequestError::Missing(self.at(name)))
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, RequestError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, other, "a text")),
        }
    }

    /// A text that must be there and hold more than blanks.
    pub(crate) fn required_text(&self, name: &str) -> Result<&'a str, RequestError> {
        self.text(name)?
            .filter(|text| !text.trim().is_empty())
            .ok_or_else(|| RequestError::Missing(self.at(name)))
    }

    /// True or false.
    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, RequestError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(self.wrong(name, other, "`true` or `false`")),
        }
    }

    /// A whole number of 32 bits.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i32>, RequestError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => value
                .as_i64()
                .and_then(|number| i32::try_from(number).ok())
                .map(Some)
                .ok_or_else(|| self.wrong(name, value, "a whole number of 32 bits")),
        }
    }

    /// A positive whole number that must be there.
    pub(crate) fn positive(&self, name: &str) -> Result<u32, RequestError> {
        let value = self.required(name)?;
        self.integer(name)?
            .and_then(|number| u32::try_from(number).ok())
            .filter(|&number| number > 0)
            .ok_or_else(|| self.wrong(name, value, "a positive whole number"))
    }

    /// A list; an absent one is empty.
    pub(crate) fn list(&self, name: &str) -> Result<&'a [Value], RequestError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(self.wrong(name, other, "a list")),
        }
    }

    /// A list, every item read by `read`, which is given the path of the item.
    pub(crate) fn each<T>(
        &self,
        name: &str,
        read: impl Fn(&Value, &str) -> Result<T, RequestError>,
    ) -> Result<Vec<T>, RequestError> {
        each(self.list(name)?, &self.at(name), read)
    }

    /// Text properties; absent ones are none.
    pub(crate) fn properties(&self, name: &str) -> Result<lakeward_metadata::Properties, RequestError> {
        let Some(value) = self.get(name) else {
            return Ok(lakeward_metadata::Properties::new());
        };
        let at = self.at(name);
        let members = Members::of(value, &at)?;
        members
            .object
            .iter()
            .map(|(key, value)| match value {
                Value::String(text) => Ok((key.clone(), text.clone())),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    Err(members.wrong(key, value, "a text"))
                }
            })
            .collect()
    }

    fn wrong(&self, name: &str, found: &Value, expected: &str) -> RequestError {
        RequestError::invalid(
            self.at(name),
            format!("{} is given, {expected} is expected", kind(found)),
        )
    }
}

/// Every item of a list, read by `read`, which is given the path of the item.
pub(crate) fn each<T>(
    items: &[Value],
    path: &str,
    read: impl Fn(&Value, &str) -> Result<T, RequestError>,
) -> Result<Vec<T>, RequestError> {
    items
        .iter()
        .enumerate()
        .map(|(position, item)| read(item, &format!("{path}[{position}]")))
        .collect()
}

/// A path of a field: a list of names, not empty.
pub(crate) fn field_path(value: &Value, path: &str) -> Result<Vec<String>, RequestError> {
    let Value::Array(items) = value else {
        return Err(RequestError::invalid(
            path,
            format!("{} is given, a list of names is expected", kind(value)),
        ));
    };
    if items.is_empty() {
        return Err(RequestError::Missing(path.to_owned()));
    }
    each(items, path, |item, at| match item {
        Value::String(name) if !name.is_empty() => Ok(name.clone()),
        Value::String(_) | Value::Null => Err(RequestError::Missing(at.to_owned())),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Err(RequestError::invalid(
            at,
            format!("{} is given, a name is expected", kind(item)),
        )),
    })
}

/// An item of a list that must be a text.
pub(crate) fn text_item(value: &Value, path: &str) -> Result<String, RequestError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Err(
            RequestError::invalid(path, format!("{} is given, a text is expected", kind(value))),
        ),
    }
}

/// What a value is, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
