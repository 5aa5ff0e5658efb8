// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Schemas: what catalogs are divided into.

use crate::Properties;
use crate::audit::Audit;

/// A schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// Its name; of a nested one the levels joined by the schema separator (`a:b`).
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings.
    pub properties: Properties,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// A schema that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSchema {
    /// Its name; of a nested one the levels joined by the schema separator. Never blank; the rule for each level is
    /// checked where the separator is known.
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings.
    pub properties: Properties,
}

/// One change of a schema; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaChange {
    /// Sets one property.
    SetProperty {
        /// The key.
        property: String,
        /// The value.
        value: String,
    },
    /// Removes one property; a missing one is no error.
    RemoveProperty(String),
}
