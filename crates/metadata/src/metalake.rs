// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Metalakes: the tops of trees.

use crate::Properties;
use crate::audit::Audit;
use crate::name::Name;

/// The reserved property that shows whether a metalake or catalog is in use.
pub const IN_USE: &str = "in-use";

/// A metalake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metalake {
    /// Its name.
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings, without the reserved [`IN_USE`].
    pub properties: Properties,
    /// Whether it is in use; what is below one out of use cannot be reached.
    pub in_use: bool,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// A metalake that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMetalake {
    /// Its name.
    pub name: Name,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings.
    pub properties: Properties,
}

/// One change of a metalake; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetalakeChange {
    /// Another name.
    Rename(Name),
    /// Another comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Sets one property.
    SetProperty {
        /// The key; never [`IN_USE`].
        property: String,
        /// The value.
        value: String,
    },
    /// Removes one property; a missing one is no error.
    RemoveProperty(String),
}
