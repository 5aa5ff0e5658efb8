// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where a catalog's tables may lie, and where they lie by default.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::TablePlace;
use uuid::Uuid;

use lakeward_storage::real;
use lakeward_storage::{Location, folder_name};

/// Table properties that send files elsewhere than below the table's location.
pub(crate) const PATH_PROPERTIES: &[&str] = &[
    "write.data.path",
    "write.metadata.path",
    "write.object-storage.path",
    "write.folder-storage.path",
];

/// The location policy of one catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocationPolicy {
    warehouse: Location,
    /// Further locations that the catalog's owner allows, for tables that were made elsewhere.
    allowed: Vec<Location>,
    /// Where metadata that the host points to may lie besides: the folder of all default warehouses, since a default
    /// warehouse is called after its catalog, which may have had another name when the table was made; and the warehouse
    /// by the name that it was given, of which a part may be a link by now.
    readable: Vec<Location>,
}

impl LocationPolicy {
    /// A policy for a warehouse and further allowed locations.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] when one is the root of a file system, which would allow everything.
    pub(crate) fn new(warehouse: Location, allowed: Vec<Location>) -> Result<Self, CatalogError> {
        for location in allowed.iter().chain([&warehouse]) {
            if location.is_root() && location.scheme() == lakeward_storage::Scheme::File {
                return Err(CatalogError::LocationRefused(
                    "the root of the file system cannot be a warehouse or an allowed location".to_owned(),
                ));
            }
        }
        Ok(Self {
            warehouse,
            allowed,
            readable: Vec::new(),
        })
    }

    /// The same, for a catalog whose metadata may also lie below `root`.
    #[must_use]
    pub(crate) fn reading_below(mut self, root: Location) -> Self {
        self.readable.push(root);
        self
    }

    /// The warehouse.
    pub(crate) fn warehouse(&self) -> &Location {
        &self.warehouse
    }

    /// Parses a location that a caller or stored metadata names, and checks that this catalog may reach it.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`].
    pub(crate) fn check(&self, text: &str) -> Result<Location, CatalogError> {
        let location = Location::parse(text)?;
        if location.is_within(&self.warehouse)
            || self.allowed.iter().any(|allowed| location.is_within(allowed))
        {
            return Ok(location);
        }
        Err(CatalogError::LocationRefused(format!(
            "the location `{location}` is refused: it is neither inside the warehouse of the catalog nor inside one \
             of its `lakeward.allowed-locations`"
        )))
    }

    /// Checks the location of a metadata file that the host points to.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`].
    pub(crate) fn check_pointer(&self, text: &str) -> Result<Location, CatalogError> {
        let location = Location::parse(text)?;
        if self.readable.iter().any(|root| location.is_within(root)) {
            return Ok(location);
        }
        self.check(text)
    }

    /// As [`Self::check`] for the base location of a table, which must not be the whole warehouse.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`].
    pub(crate) fn check_table(&self, text: &str) -> Result<Location, CatalogError> {
        let location = self.check(text)?;
        if location.is_root() || self.warehouse.is_within(&location) {
            return Err(CatalogError::LocationRefused(format!(
                "the location `{location}` is refused: it would contain the whole warehouse"
            )));
        }
        let real = real(&location)?;
        if real != location {
            return Err(CatalogError::LocationRefused(format!(
                "the location `{location}` is refused: a link on the way leads to `{real}`; name the place itself"
            )));
        }
        Ok(location)
    }

    /// Checks a file that metadata of the table at `table` names (a manifest list, a metadata file) or a folder that
    /// its properties name: inside the table, or where the catalog's owner explicitly allows. Without this a table
    /// could be made of another table's files.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`].
    pub(crate) fn check_part(&self, table: &Location, text: &str) -> Result<Location, CatalogError> {
        let location = Location::parse(text)?;
        if location.is_within(table) || self.allowed.iter().any(|allowed| location.is_within(allowed)) {
            return Ok(location);
        }
        Err(CatalogError::LocationRefused(format!(
            "the location `{location}` is refused: it lies outside the table's location `{table}`"
        )))
    }

    /// The location of a namespace that has no `location` property.
    pub(crate) fn default_namespace(&self, namespace: &[String]) -> Location {
        namespace.iter().fold(self.warehouse.clone(), |outer, level| {
            // A folder name is always a segment, so the fallback is never taken.
            outer.child(&folder_name(level)).unwrap_or(outer)
        })
    }

    /// The location of a new table that names none.
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] when the namespace's own location is refused.
    pub(crate) fn default_table(&self, place: &TablePlace) -> Result<Location, CatalogError> {
        if place.unused_location {
            let folder = format!("{}-{}", folder_name(&place.name), Uuid::new_v4().simple());
            return self.check_table(&self.warehouse.child(&folder)?.to_string());
        }
        let namespace = match &place.namespace_location {
            Some(location) => self.check(location)?,
            None => self.default_namespace(&place.namespace),
        };
        self.check_table(&namespace.child(&folder_name(&place.name))?.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> LocationPolicy {
        LocationPolicy::new(
            Location::parse("s3://b/w").unwrap(),
            vec![Location::parse("s3://old/x").unwrap()],
        )
        .unwrap()
    }

    #[test]
    fn tables_stay_inside_the_warehouse_unless_allowed() {
        assert!(policy().check_table("s3://b/w/ns/t").is_ok());
        assert!(policy().check_table("s3://old/x/t").is_ok());
        for refused in [
            "s3://b/w",
            "s3://b",
            "s3://b/w2/t",
            "s3://b/w/../w2",
            "file:///w/t",
        ] {
            assert!(policy().check_table(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn parts_stay_inside_their_table() {
        let table = Location::parse("s3://b/w/ns/t").unwrap();
        assert!(
            policy()
                .check_part(&table, "s3://b/w/ns/t/metadata/snap.avro")
                .is_ok()
        );
        assert!(
            policy()
                .check_part(&table, "s3://b/w/ns/t2/metadata/snap.avro")
                .is_err()
        );
    }

    #[test]
    fn defaults_follow_the_names() {
        let mut place = TablePlace {
            namespace: vec!["a".to_owned(), "b".to_owned()],
            name: "t".to_owned(),
            namespace_location: None,
            unused_location: false,
        };
        assert_eq!(
            policy().default_table(&place).unwrap().to_string(),
            "s3://b/w/a/b/t"
        );
        place.namespace_location = Some("s3://b/w/other".to_owned());
        assert_eq!(
            policy().default_table(&place).unwrap().to_string(),
            "s3://b/w/other/t"
        );
        place.unused_location = true;
        let unused = policy().default_table(&place).unwrap().to_string();
        assert!(unused.starts_with("s3://b/w/t-"), "{unused}");
    }

    #[test]
    fn a_root_is_no_warehouse() {
        assert!(LocationPolicy::new(Location::parse("/").unwrap(), vec![]).is_err());
    }
}
