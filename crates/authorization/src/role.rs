// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A role: a named set of privileges on objects.

use lakeward_metadata::Properties;
use lakeward_metadata::audit::Audit;
use lakeward_metadata::object::MetadataObject;

use crate::securable_object::SecurableObject;

/// A role as it is shown. What it grants is decided by the ids that its objects had when they were granted, so an
/// object here may be one that grants nothing (it did not exist, or was dropped and made anew).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// Free properties.
    pub properties: Properties,
    /// The objects, each once.
    pub securable_objects: Vec<SecurableObject>,
    /// Who made it and when.
    pub audit: Audit,
}

/// The same object was named twice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is named twice; put all its privileges into one entry")]
pub struct RepeatedObject(pub MetadataObject);

/// Checks that no object is named twice in the contents of one role.
///
/// # Errors
/// [`RepeatedObject`] with the first that is.
pub fn check_distinct(objects: &[SecurableObject]) -> Result<(), RepeatedObject> {
    let mut seen = std::collections::HashSet::with_capacity(objects.len());
    for object in objects {
        if !seen.insert(object.object()) {
            return Err(RepeatedObject(object.object().clone()));
        }
    }
    Ok(())
}
