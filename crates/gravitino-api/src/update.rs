// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What update elements of all kinds share: a `@type`, and tolerance of unknown members.

use serde_json::Value;

use crate::json_object::{Members, each};
use crate::request::{RequestError, required};

/// Reads the list `updates`; null or no list is refused, an empty one is a change of nothing.
pub(crate) fn updates<T>(
    updates: Option<&[Value]>,
    read: impl Fn(&str, Members<'_>) -> Result<Option<T>, RequestError>,
    kind: &str,
) -> Result<Vec<T>, RequestError> {
    each(required("updates", updates)?, "updates", |value, path| {
        let members = Members::of(value, path)?;
        let update_type = members.required_text("@type")?;
        read(update_type, members)?.ok_or_else(|| {
            RequestError::invalid(
                members.at("@type"),
                format!("`{update_type}` is not an update of a {kind}"),
            )
        })
    })
}

/// The members of `setProperty`.
pub(crate) fn set_property(members: Members<'_>) -> Result<(String, String), RequestError> {
    let property = members.required_text("property")?;
    let value = members
        .text("value")?
        .ok_or_else(|| RequestError::Missing(members.at("value")))?;
    Ok((property.to_owned(), value.to_owned()))
}

/// The member of `removeProperty`.
pub(crate) fn remove_property(members: Members<'_>) -> Result<String, RequestError> {
    Ok(members.required_text("property")?.to_owned())
}

/// The member of `updateComment`; null removes the comment.
pub(crate) fn new_comment(members: Members<'_>) -> Result<Option<String>, RequestError> {
    Ok(members.text("newComment")?.map(str::to_owned))
}
