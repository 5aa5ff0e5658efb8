// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What jobs must not be able to read while read restrictions are on: the store, and warehouses of this machine. Nor may
//! they be the server's own user, who reads its configuration and its environment, with the credentials in them. Where
//! that cannot be had, no job is run.

use std::path::{Path, PathBuf};

use lakeward_metadata::kind::ObjectKind;
use lakeward_store::Page;

use crate::Operations;
use crate::catalog::own_files::{is_file, locations};
use crate::error::OperationError;
use crate::providers::without_in_use;

impl Operations {
    /// Refuses jobs that could read what restrictions protect.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] where jobs run as the server's own user; [`OperationError::Unavailable`] where
    /// their user can read the store or a warehouse, or where that is not known.
    pub(crate) async fn require_separation(&self) -> Result<(), OperationError> {
        if !self.settings().read_restrictions_enabled {
            return Ok(());
        }
        let executor = self.executor().clone();
        if !executor.has_own_user() {
            return Err(OperationError::Unsupported(
                "jobs are not run here: read restrictions are on, and jobs would run as the server's own user, with \
                 everything that it can read; the operator can give them one of their own by `lakeward.jobs.user`"
                    .to_owned(),
            ));
        }
        let places = self.places_of_this_machine().await?;
        let readable = tokio::task::spawn_blocking(move || {
            for place in places {
                if place.exists() && executor.can_read(&place)? {
                    return Ok(Some(place));
                }
            }
            Ok::<_, OperationError>(None)
        });
        match readable.await.map_err(OperationError::internal)?? {
            None => Ok(()),
            Some(place) => Err(OperationError::Unavailable {
                message: "jobs are not run here: read restrictions are on, and the user of jobs could read the store or a \
                          warehouse"
                    .to_owned(),
                detail: format!(
                    "the user of jobs (`lakeward.jobs.user`) can read `{}`; take that right away",
                    place.display()
                ),
            }),
        }
    }

    /// The file of an embedded store, the folder of warehouses that no catalog names, and every place of this machine
    /// that a property of a catalog of tables names.
    async fn places_of_this_machine(&self) -> Result<Vec<PathBuf>, OperationError> {
        let settings = self.settings();
        let mut places: Vec<PathBuf> = settings.jobs.store_file.iter().cloned().collect();
        let secrets = settings
            .secret_providers
            .iter()
            .filter_map(|provider| provider.kind.folder());
        places.extend(secrets.filter(|folder| folder.exists()).cloned());
        let warehouses = settings.data_dir.join("warehouse");
        if warehouses.exists() {
            places.push(warehouses);
        }
        let mut snapshot = self.store().snapshot().await?;
        let metalakes = snapshot
            .children(lakeward_store::ROOT, ObjectKind::Metalake, &Page::ALL)
            .await?;
        for metalake in metalakes {
            let catalogs = snapshot
                .children_in_full(metalake.id, ObjectKind::Catalog, &Page::ALL)
                .await?;
            for catalog in catalogs {
                // One that cannot be connected now may have had tables before.
                let has_tables = self
                    .provider_of(&metalake.name, &catalog.object)
                    .map_or(true, |provider| provider.tables().is_some());
                if !has_tables {
                    continue;
                }
                for (name, value) in without_in_use(&catalog.object.properties) {
                    places.extend(locations(&name, &value).filter_map(place_of));
                }
            }
        }
        Ok(places)
    }
}

/// The place of this machine that a property names, if it names one.
fn place_of(location: &str) -> Option<PathBuf> {
    if !is_file(location) {
        return None;
    }
    let path = location.split_once(':').map_or(location, |(_, path)| path);
    Some(Path::new("/").join(path.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{locations, place_of};

    #[test]
    fn a_comma_is_a_part_of_a_name_but_in_a_list() {
        let found = |property| locations(property, " /a,b, /c ").collect::<Vec<_>>();
        assert_eq!(found("warehouse"), ["/a,b, /c"]);
        assert_eq!(found("lakeward.allowed-locations"), ["/a", "b", "/c"]);
    }

    #[test]
    fn places_are_told_from_other_values() {
        for (value, expected) in [
            ("/a/b", Some("/a/b")),
            ("file:/a/b", Some("/a/b")),
            ("FILE:///a/b", Some("/a/b")),
            ("s3://bucket/a", None),
            ("memory", None),
            ("", None),
        ] {
            assert_eq!(place_of(value).as_deref(), expected.map(Path::new), "{value}");
        }
    }
}
