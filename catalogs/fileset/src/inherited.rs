// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Locations that catalogs and schemas hand down to their filesets: the property `location`, and `location-NAME` for a
//! location of that name.

use std::collections::BTreeMap;

use lakeward_catalog::error::CatalogError;
use lakeward_metadata::Properties;
use lakeward_metadata::fileset::UNNAMED_LOCATION;

use crate::place::Place;
use crate::placeholder::{check, has_placeholder};

/// The property with the location that has no name.
pub(crate) const LOCATION: &str = "location";

/// How the properties with named locations begin.
pub(crate) const NAMED_LOCATION: &str = "location-";

/// Locations as they were spelled, by name. They may hold placeholders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Inherited(pub(crate) BTreeMap<String, String>);

impl Inherited {
    /// Those of a catalog or schema.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] for a blank name or value, [`CatalogError::LocationRefused`].
    pub(crate) fn from_properties(properties: &Properties) -> Result<Self, CatalogError> {
        let mut locations = BTreeMap::new();
        for (property, location) in properties {
            let name = if property == LOCATION {
                UNNAMED_LOCATION
            } else if let Some(name) = property.strip_prefix(NAMED_LOCATION) {
                name
            } else {
                continue;
            };
            if name.trim().is_empty() {
                return Err(CatalogError::Invalid(format!(
                    "property `{property}`: the name of the location must not be blank"
                )));
            }
            if location.trim().is_empty() {
                return Err(CatalogError::Invalid(format!(
                    "property `{property}`: the location must not be blank"
                )));
            }
            check(location)?;
            if !has_placeholder(location) {
                Place::parse(location)?;
            }
            locations.insert(name.to_owned(), location.trim().to_owned());
        }
        Ok(Self(locations))
    }

    /// What filesets of a schema inherit: the schema's own locations as they are, and for other names a folder of the
    /// schema's in the catalog's. With placeholders in it a location says itself where filesets go.
    pub(crate) fn of_schema(&self, schema: &str, own: &Self) -> Self {
        let mut locations: BTreeMap<String, String> = self
            .0
            .iter()
            .map(|(name, location)| (name.clone(), below(location, schema)))
            .collect();
        locations.extend(own.0.clone());
        Self(locations)
    }
}

/// The location of a name in another, which it is itself where it has placeholders.
pub(crate) fn below(location: &str, name: &str) -> String {
    if has_placeholder(location) {
        return location.to_owned();
    }
    format!("{}/{name}", location.strip_suffix('/').unwrap_or(location))
}
