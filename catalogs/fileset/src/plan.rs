// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where a new fileset lies, and which of its locations is the default.

use std::collections::BTreeSet;

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::fileset_catalog::{FilesetCreation, FilesetLocation, FilesetPlace, PlannedFileset};
use lakeward_metadata::Properties;
use lakeward_metadata::fileset::{DEFAULT_LOCATION_NAME, FilesetType};
use lakeward_storage::{Location, real, scheme_of};

use crate::inherited::{Inherited, below};
use crate::place::Place;
use crate::placeholder::{Values, check, has_placeholder, replaced};

/// What a catalog says of the places of its filesets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Its name.
    pub(crate) catalog: String,
    /// Whether the server makes, lists and removes folders.
    pub(crate) touches_files: bool,
    /// In one of which every fileset lies; anywhere when `None`.
    pub(crate) allowed: Option<Vec<Location>>,
}

impl Scope {
    /// Whether filesets of the catalog may lie at a location.
    fn allows(&self, location: &Location) -> bool {
        match &self.allowed {
            None => true,
            Some(allowed) => allowed.iter().any(|allowed| location.is_within(allowed)),
        }
    }

    /// Checks the location of a fileset that exists: what the catalog allows may have changed since it was made.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`].
    pub(crate) fn check(&self, location: &str) -> Result<(), CatalogError> {
        if self.allows(&Location::parse(location)?) {
            return Ok(());
        }
        Err(CatalogError::LocationRefused(
            "the fileset lies in none of the `lakeward.allowed-locations` of its catalog".to_owned(),
        ))
    }
}

/// Plans a fileset of a catalog.
///
/// # Errors
/// Those of [`lakeward_catalog::fileset_catalog::FilesetCatalog::plan_create_fileset`].
pub(crate) fn plan(
    scope: &Scope,
    inherited: &Inherited,
    place: &FilesetPlace,
    creation: &FilesetCreation,
) -> Result<PlannedFileset, CatalogError> {
    for (name, location) in &creation.storage_locations {
        if name.trim().is_empty() {
            return invalid("the name of a storage location must not be blank");
        }
        if location.trim().is_empty() {
            return invalid(&format!("the storage location `{name}` must not be blank"));
        }
        check(location)?;
    }
    if creation.storage_locations.is_empty() && creation.fileset_type == FilesetType::External {
        return invalid(&format!(
            "the external fileset `{}` needs a storage location: its files are somewhere already",
            place.name
        ));
    }
    let own = Inherited::from_properties(&place.schema_properties)?;
    let handed_down = inherited.of_schema(&place.schema, &own);
    let names: BTreeSet<&String> = handed_down
        .0
        .keys()
        .chain(creation.storage_locations.keys())
        .collect();
    if names.is_empty() {
        return invalid(&format!(
            "the fileset `{}` needs a storage location: neither its schema nor its catalog has a `location`",
            place.name
        ));
    }
    let values = Values::new(
        &creation.properties,
        [
            ("catalog", &scope.catalog),
            ("schema", &place.schema),
            ("fileset", &place.name),
        ],
    );
    let mut locations = Vec::with_capacity(names.len());
    for name in names {
        let text = match (creation.storage_locations.get(name), handed_down.0.get(name)) {
            (Some(given), _) => replaced(given, &values)?,
            (None, Some(folder)) => replaced(&below(folder, &place.name), &values)?,
            (None, None) => continue,
        };
        locations.push(located(name, &text, scope)?);
    }
    refuse_parents(&locations, &handed_down)?;
    let properties = with_default(&creation.properties, &locations)?;
    Ok(PlannedFileset {
        locations,
        properties,
    })
}

fn located(name: &str, text: &str, scope: &Scope) -> Result<FilesetLocation, CatalogError> {
    if !scope.touches_files && scheme_of(text.trim()).is_none() {
        return invalid(&format!(
            "the storage location `{name}` needs a scheme, as `file:` or `s3a:`: the catalog leaves files alone \
             (`disable-filesystem-ops`), so that it cannot tell what `{text}` means"
        ));
    }
    let place = Place::parse(text)?;
    if place.location.is_root() {
        return Err(CatalogError::LocationRefused(format!(
            "the storage location `{name}` is refused: `{}` is a root, and everything would be in the fileset",
            place.shown
        )));
    }
    if !scope.allows(&place.location) {
        return Err(CatalogError::LocationRefused(format!(
            "the storage location `{name}` is refused: `{}` is in none of the `lakeward.allowed-locations` of the catalog",
            place.shown
        )));
    }
    if scope.touches_files {
        let real = real(&place.location)?;
        if real != place.location {
            return Err(CatalogError::LocationRefused(format!(
                "the storage location `{name}` is refused: a link on the way to `{}` leads to `{real}`; name the place \
                 itself",
                place.shown
            )));
        }
    }
    Ok(FilesetLocation {
        name: name.to_owned(),
        canonical: place.location.to_string(),
        shown: place.shown,
    })
}

/// Refuses a fileset that would hold the folder of its whole schema.
fn refuse_parents(locations: &[FilesetLocation], handed_down: &Inherited) -> Result<(), CatalogError> {
    for (name, folder) in handed_down
        .0
        .iter()
        .filter(|(_, folder)| !has_placeholder(folder))
    {
        let folder = Place::parse(folder)?;
        for location in locations {
            if folder
                .location
                .is_within(&Place::parse(&location.canonical)?.location)
            {
                return invalid(&format!(
                    "the storage location `{}` (`{}`) is or contains the location `{name}` of the schema (`{}`)",
                    location.name, location.shown, folder.shown
                ));
            }
        }
    }
    Ok(())
}

/// The properties with the name of the default location: the only one, or the one that they name.
fn with_default(properties: &Properties, locations: &[FilesetLocation]) -> Result<Properties, CatalogError> {
    let mut properties = properties.clone();
    let named = properties.get(DEFAULT_LOCATION_NAME);
    if named.is_some_and(|named| locations.iter().any(|location| location.name == *named)) {
        return Ok(properties);
    }
    if let (None, [only]) = (named, locations) {
        properties.insert(DEFAULT_LOCATION_NAME.to_owned(), only.name.clone());
        return Ok(properties);
    }
    let names: Vec<&str> = locations.iter().map(|location| location.name.as_str()).collect();
    invalid(&format!(
        "the property `{DEFAULT_LOCATION_NAME}` must name one of the locations of the fileset: `{}`",
        names.join("`, `")
    ))
}

fn invalid<T>(message: &str) -> Result<T, CatalogError> {
    Err(CatalogError::Invalid(message.to_owned()))
}
