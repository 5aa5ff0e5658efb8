// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A group as JSON (RFC 7643, section 4.2).

use std::collections::BTreeSet;

use lakeward_metadata::directory::DirectoryGroup;
use serde_json::{Value, json};

use crate::resource::{Meta, external_id_of, name_of, shown};
use crate::schema::ResourceType;
use crate::{Attributes, ScimError, ScimType};

/// A group out of canonical attributes.
///
/// # Errors
/// `invalidValue` for a name that is missing or cannot be one, and for members that are no users.
pub fn from_attributes(mut attributes: Attributes) -> Result<DirectoryGroup, ScimError> {
    let name = name_of(&mut attributes, "displayName")?;
    let external_id = external_id_of(&mut attributes)?;
    let members = match attributes.remove("members") {
        Some(Value::Array(members)) => members.iter().map(member).collect::<Result<BTreeSet<_>, _>>()?,
        Some(_) | None => BTreeSet::new(),
    };
    Ok(DirectoryGroup {
        name,
        external_id,
        members,
    })
}

fn member(value: &Value) -> Result<String, ScimError> {
    let text = |part: &str| value.get(part).and_then(Value::as_str);
    if text("type").is_some_and(|kind| !kind.eq_ignore_ascii_case("User")) {
        return Err(ScimError::new(
            ScimType::InvalidValue,
            "`members` must be users: groups of groups are not kept",
        ));
    }
    text("value").map(str::to_owned).ok_or_else(|| {
        ScimError::new(
            ScimType::InvalidValue,
            "each of `members` needs the id of a user as its `value`",
        )
    })
}

/// What can be written of a group, as canonical attributes. `members` are ids with names.
pub fn to_attributes(group: &DirectoryGroup, members: &[(String, String)], base: &str) -> Attributes {
    let mut attributes = Attributes::new();
    if let Some(id) = &group.external_id {
        attributes.insert("externalId".to_owned(), json!(id));
    }
    attributes.insert("displayName".to_owned(), json!(group.name));
    let member = |(id, name): &(String, String)| {
        let location = format!("{base}{}/{id}", ResourceType::User.endpoint());
        json!({"value": id, "$ref": location, "display": name, "type": "User"})
    };
    if !members.is_empty() {
        let members = members.iter().map(member).collect();
        attributes.insert("members".to_owned(), Value::Array(members));
    }
    attributes
}

/// The whole group.
pub fn show(group: &DirectoryGroup, meta: Meta<'_>, members: &[(String, String)]) -> Attributes {
    let attributes = to_attributes(group, members, meta.base);
    shown(ResourceType::Group, meta, attributes)
}
