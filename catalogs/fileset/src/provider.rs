// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A live catalog of filesets.

use async_trait::async_trait;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::fileset_catalog::{
    FilesetCatalog, FilesetCreation, FilesetLocation, FilesetPlace, MadeFolders, PlannedFileset,
};
use lakeward_catalog::provider::Provider;
use lakeward_catalog::storage_delegation::{
    DelegationScope, SignedRequest, StorageDelegation, TemporaryCredential, UnsignedRequest,
};
use lakeward_catalog::table_catalog::TableCatalog;
use lakeward_catalog::view_catalog::ViewCatalog;
use lakeward_metadata::Properties;
use lakeward_metadata::fileset::FileInfo;
use lakeward_storage::{Delegation, Location, Scheme, Storage, real};

use crate::inherited::Inherited;
use crate::place::{MAX_SEGMENT_BYTES, Place};
use crate::placeholder::has_placeholder;
use crate::plan::{Scope, plan};

/// How many files and folders one answer lists at most.
const MAX_FILES: usize = 100_000;

/// The longest path inside a fileset, in bytes.
const MAX_SUB_PATH_BYTES: usize = 4096;

#[derive(Debug)]
pub(crate) struct FilesetProvider {
    scope: Scope,
    inherited: Inherited,
    storage: Storage,
    delegation: Delegation,
}

impl FilesetProvider {
    pub(crate) fn new(
        scope: Scope,
        properties: &Properties,
        storage: Storage,
        delegation: Delegation,
    ) -> Result<Self, CatalogError> {
        Ok(Self {
            scope,
            inherited: Inherited::from_properties(properties)?,
            storage,
            delegation,
        })
    }
}

/// The place of a path inside a location.
fn inside(root: &Location, sub_path: &str) -> Result<Location, CatalogError> {
    let is_long = sub_path.len() > MAX_SUB_PATH_BYTES
        || sub_path
            .split('/')
            .any(|segment| segment.len() > MAX_SEGMENT_BYTES);
    if is_long {
        return Err(CatalogError::Invalid(format!(
            "the path is too long: a name in it has at most {MAX_SEGMENT_BYTES} bytes, all of it {MAX_SUB_PATH_BYTES}"
        )));
    }
    root.inside(sub_path)
}

/// A name that becomes the name of a folder.
fn check_folder_name(what: &str, name: &str) -> Result<(), CatalogError> {
    if name.contains('/') {
        return Err(CatalogError::Invalid(format!(
            "`{name}` is not a name of a {what}: in a catalog of filesets a name has no `/`"
        )));
    }
    Ok(())
}

#[async_trait]
impl Provider for FilesetProvider {
    /// There is nothing to connect to before a fileset says where it lies.
    async fn test_connection(&self) -> Result<(), CatalogError> {
        Ok(())
    }

    fn tables(&self) -> Option<&dyn TableCatalog> {
        None
    }

    fn views(&self) -> Option<&dyn ViewCatalog> {
        None
    }

    fn filesets(&self) -> Option<&dyn FilesetCatalog> {
        Some(self)
    }

    fn delegation(&self) -> Option<&dyn StorageDelegation> {
        Some(self)
    }
}

#[async_trait]
impl StorageDelegation for FilesetProvider {
    fn client_properties(&self, location: &str) -> Properties {
        self.delegation.client_properties(location)
    }

    fn vends(&self, location: &str) -> bool {
        self.delegation.vends(location) && self.scope.check(location).is_ok()
    }

    /// The protocol that signs requests has no filesets.
    fn signs(&self, _: &str) -> bool {
        false
    }

    async fn credential(&self, scope: &DelegationScope) -> Result<TemporaryCredential, CatalogError> {
        for location in &scope.locations {
            self.scope.check(location)?;
        }
        self.delegation.credential(scope).await
    }

    async fn sign(&self, _: &DelegationScope, _: &UnsignedRequest) -> Result<SignedRequest, CatalogError> {
        Err(CatalogError::Unsupported(
            "no requests are signed for filesets".to_owned(),
        ))
    }
}

#[async_trait]
impl FilesetCatalog for FilesetProvider {
    fn check_schema(&self, schema: &str, properties: &Properties) -> Result<(), CatalogError> {
        check_folder_name("schema", schema)?;
        Inherited::from_properties(properties).map(drop)
    }

    fn check_name(&self, name: &str) -> Result<(), CatalogError> {
        check_folder_name("fileset", name)
    }

    fn plan_create_fileset(
        &self,
        place: &FilesetPlace,
        creation: &FilesetCreation,
    ) -> Result<PlannedFileset, CatalogError> {
        plan(&self.scope, &self.inherited, place, creation)
    }

    async fn make_folders(&self, planned: &PlannedFileset) -> Result<MadeFolders, CatalogError> {
        let mut made = MadeFolders::default();
        if !self.scope.touches_files {
            return Ok(made);
        }
        for location in &planned.locations {
            let location = Location::parse(&location.canonical)?;
            match self.storage.make_folder(&location).await {
                Ok(folders) => made.0.extend(folders.iter().map(ToString::to_string)),
                Err(error) => {
                    self.unmake_folders(&made).await;
                    return Err(error);
                }
            }
        }
        Ok(made)
    }

    async fn unmake_folders(&self, made: &MadeFolders) {
        for folder in &made.0 {
            self.remove_empty_folder(folder).await;
        }
    }

    async fn list_files(&self, location: &str, sub_path: &str) -> Result<Vec<FileInfo>, CatalogError> {
        if !self.scope.touches_files {
            return Err(CatalogError::Unsupported(
                "the catalog leaves files alone (`disable-filesystem-ops`), so that they cannot be listed"
                    .to_owned(),
            ));
        }
        let root = Location::parse(location)?;
        let folder = inside(&root, sub_path)?;
        let entries = match self.storage.list_folder(&folder, MAX_FILES).await? {
            Some(entries) => entries,
            // A prefix that nothing begins with yet.
            None if folder == root && root.scheme() != Scheme::File => Vec::new(),
            None => {
                return Err(CatalogError::Invalid(format!(
                    "the path `{sub_path}` does not exist in the fileset"
                )));
            }
        };
        Ok(entries
            .into_iter()
            .map(|entry| FileInfo {
                name: entry.name,
                is_folder: entry.is_folder,
                size: entry.size,
                last_modified: entry.last_modified,
            })
            .collect())
    }

    async fn file_location(
        &self,
        location: &FilesetLocation,
        sub_path: &str,
    ) -> Result<String, CatalogError> {
        let root = Location::parse(&location.canonical)?;
        let file = inside(&root, sub_path)?;
        // A client would follow a link that leads out.
        if self.scope.touches_files && !real(&file)?.is_within(&root) {
            return Err(CatalogError::LocationRefused(format!(
                "the path `{sub_path}` is refused: a link in the fileset leads out of it"
            )));
        }
        let mut text = location.shown.clone();
        for segment in file.segments().iter().skip(root.segments().len()) {
            text.push('/');
            text.push_str(segment);
        }
        Ok(text)
    }

    async fn remove_files(&self, location: &str) -> Result<(), CatalogError> {
        if !self.scope.touches_files {
            return Ok(());
        }
        self.storage.remove_folder(&Location::parse(location)?).await
    }

    fn schema_folders(&self, schema: &str, properties: &Properties) -> Vec<String> {
        let own = Inherited::from_properties(properties).unwrap_or_default();
        self.inherited
            .of_schema(schema, &own)
            .0
            .values()
            .filter(|folder| !has_placeholder(folder))
            .filter_map(|folder| Some(Place::parse(folder).ok()?.location.to_string()))
            .collect()
    }

    async fn remove_empty_folder(&self, location: &str) {
        if !self.scope.touches_files {
            return;
        }
        let removed = match Location::parse(location) {
            Ok(location) => self.storage.remove_empty_folder(&location).await,
            Err(error) => Err(error),
        };
        if let Err(error) = removed {
            tracing::warn!(folder = location, %error, "an empty folder that is not needed stays behind");
        }
    }

    fn overlaps(&self, one: &str, other: &str) -> Result<bool, CatalogError> {
        Ok(Location::parse(one)?.overlaps(&Location::parse(other)?))
    }
}
