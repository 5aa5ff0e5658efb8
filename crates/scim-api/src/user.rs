// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A user as JSON (RFC 7643, section 4.1).

use std::collections::BTreeMap;

use lakeward_metadata::directory::DirectoryUser;
use serde_json::{Value, json};

use crate::resource::{Meta, external_id_of, name_of, shown};
use crate::schema::ResourceType;
use crate::{Attributes, ScimError, ScimType};

/// A user out of canonical attributes. Where `active` is not said it is as `otherwise`, so that no body that leaves it out
/// lets somebody in again.
///
/// # Errors
/// `invalidValue` for a name that is missing or cannot be one, and for several preferred mail addresses.
pub fn from_attributes(mut attributes: Attributes, otherwise: bool) -> Result<DirectoryUser, ScimError> {
    let name = name_of(&mut attributes, "userName")?;
    let external_id = external_id_of(&mut attributes)?;
    let is_active = match attributes.remove("active") {
        Some(Value::Bool(active)) => active,
        Some(_) | None => otherwise,
    };
    let emails = attributes.get("emails").and_then(Value::as_array);
    if emails.is_some_and(|emails| emails.iter().filter(|email| is_primary(email)).count() > 1) {
        let detail = "only one of `emails` can be `primary`";
        return Err(ScimError::new(ScimType::InvalidValue, detail));
    }
    Ok(DirectoryUser {
        name,
        external_id,
        is_active,
        // In the order of names: the same profile is the same text.
        profile: json!(attributes.into_iter().collect::<BTreeMap<_, _>>()).to_string(),
    })
}

pub(crate) fn is_primary(value: &Value) -> bool {
    value.get("primary") == Some(&Value::Bool(true))
}

/// What can be written of a user, as canonical attributes.
pub fn to_attributes(user: &DirectoryUser) -> Attributes {
    let mut attributes = Attributes::new();
    if let Some(id) = &user.external_id {
        attributes.insert("externalId".to_owned(), json!(id));
    }
    attributes.insert("userName".to_owned(), json!(user.name));
    attributes.insert("active".to_owned(), json!(user.is_active));
    // Whatever the store keeps was written above.
    if let Ok(Value::Object(profile)) = serde_json::from_str(&user.profile) {
        attributes.extend(profile);
    }
    attributes
}

/// The whole user; `groups` are ids with names.
pub fn show(user: &DirectoryUser, meta: Meta<'_>, groups: &[(String, String)]) -> Attributes {
    let mut attributes = to_attributes(user);
    let group = |(id, name): &(String, String)| {
        let location = format!("{}{}/{id}", meta.base, ResourceType::Group.endpoint());
        json!({"value": id, "$ref": location, "display": name})
    };
    if !groups.is_empty() {
        let groups = groups.iter().map(group).collect();
        attributes.insert("groups".to_owned(), Value::Array(groups));
    }
    shown(ResourceType::User, meta, attributes)
}
