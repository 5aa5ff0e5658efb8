// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where filesets may lie, and the end of their files.
//!
//! A fileset beside tables must not become a way around what guards them: it never lies where a living table or view is, nor
//! where a restricted one was, nor in the server's own files. It lies where another fileset does only when its creator owns
//! that one: whoever may create filesets would else read, and by dropping a managed one delete, everybody's files.

use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};

use lakeward_authorization::chain::Chain;
use lakeward_authorization::grants::Mode;
use lakeward_authorization::target::Target;
use lakeward_authorization::{Requirement, authorize};
use lakeward_catalog::fileset_catalog::{FilesetCatalog, MadeFolders, PlannedFileset};
use lakeward_metadata::fileset::FilesetType;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{
    Area, ChainRow, Claimed, FilesetLocationRow, ObjectChange, PlacedFileset, Snapshot, Write,
};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;
use crate::fileset::fileset_type;
use crate::providers::filesets_of;
use crate::table_placement::overlaps;

/// The member of a fileset row's detail that says that its files are being removed.
const ENDING_FILES: &str = "ending";

/// Living filesets whose places a new one may share, since its creator owns them.
pub(crate) type Beside = BTreeSet<ObjectId>;

/// Managed filesets, marked, whose files were removed because they, or what they lie in, are being dropped.
#[derive(Debug, Default)]
pub(crate) struct RemovedFiles(Vec<PlacedFileset>);

impl RemovedFiles {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Operations {
    /// Looks whether every location of a planned fileset is free, or shared only with filesets that the caller owns. What keeps
    /// it from being so is the inner error, for whoever must say something else first.
    ///
    /// # Errors
    /// What the store reports; inside [`OperationError::Invalid`], and [`OperationError::Conflict`] beside a fileset whose
    /// files are being removed.
    pub(crate) async fn require_free_places(
        &self,
        call: &Call,
        filesets: &dyn FilesetCatalog,
        planned: &PlannedFileset,
    ) -> Result<Result<Beside, OperationError>, OperationError> {
        let mut beside = Beside::new();
        let mut snapshot = self.store().snapshot().await?;
        for location in &planned.locations {
            let place = location.canonical.as_str();
            if self.is_own_place(filesets, place)? {
                return Ok(Err(OperationError::invalid(format!(
                    "the storage location `{}` (`{}`) overlaps a folder of the server's own files; choose a folder beside it",
                    location.name, location.shown
                ))));
            }
            if snapshot.table_overlapping(place, None).await?.is_some()
                || snapshot.is_ended_location(place).await?
                || snapshot.is_lent_location(place).await?
            {
                return Ok(Err(overlaps(&location.shown)));
            }
            for other in snapshot.filesets_overlapping(place, None).await? {
                if !self.owns_fileset(call, &mut snapshot, other).await? {
                    return Ok(Err(overlaps(&location.shown)));
                }
                if let Err(error) = require_staying(&mut snapshot, other).await? {
                    return Ok(Err(error));
                }
                beside.insert(other);
            }
        }
        Ok(Ok(beside))
    }

    async fn owns_fileset(
        &self,
        call: &Call,
        snapshot: &mut Snapshot,
        fileset: ObjectId,
    ) -> Result<bool, OperationError> {
        match self.settings().mode {
            Mode::Off | Mode::PassThrough => return Ok(true),
            Mode::Enforced => {}
        }
        let chain = snapshot.ancestors(fileset).await?;
        let metalake = call.facts.metalake_id()?;
        if chain.first().is_none_or(|row| row.object.id != metalake) {
            return Ok(false);
        }
        let nodes = chain.iter().map(ChainRow::node).collect();
        let target = Target::object(Chain::found(ObjectKind::Fileset, nodes));
        let requirement = Requirement::Owner(ObjectKind::Fileset);
        Ok(authorize(&requirement, (), &target, call.facts.grants()).is_ok())
    }

    /// Whether a location is, contains or lies in a folder of the server's own files.
    fn is_own_place(&self, filesets: &dyn FilesetCatalog, location: &str) -> Result<bool, OperationError> {
        if !location.starts_with("file:") {
            return Ok(false);
        }
        for own in self.own_folders()? {
            let own = own.to_str().ok_or_else(|| {
                OperationError::internal(
                    "the name of a folder of the server is no text, so that nothing can be compared with it",
                )
            })?;
            if filesets.overlaps(location, &format!("file://{own}"))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The data folder and those of the embedded store's file, of the audit log, of jobs and of secrets, by every name: locations of
    /// filesets are real names, and the folders may be configured by others.
    fn own_folders(&self) -> Result<BTreeSet<PathBuf>, OperationError> {
        let settings = self.settings();
        let secrets = settings
            .secret_providers
            .iter()
            .filter_map(|provider| provider.kind.folder());
        let folders = [&settings.data_dir, &settings.jobs.executor.staging_dir]
            .into_iter()
            .chain(secrets);
        let files = settings.jobs.store_file.iter().chain(&settings.audit_file);
        let mut own = BTreeSet::new();
        for folder in folders {
            own.extend(names_of(folder).map_err(OperationError::internal)?);
        }
        for file in files {
            let names = names_of(file).map_err(OperationError::internal)?;
            own.extend(names.iter().filter_map(|name| name.parent()).map(Path::to_owned));
        }
        Ok(own)
    }

    /// Takes away folders that were made for a fileset that did not come to be, unless another has come to lie there.
    pub(crate) async fn unmake_unused_folders(&self, filesets: &dyn FilesetCatalog, mut made: MadeFolders) {
        let Ok(mut snapshot) = self.store().snapshot().await else {
            return;
        };
        let mut unused = Vec::with_capacity(made.0.len());
        for folder in made.0 {
            if matches!(snapshot.location_holder(&folder, None).await, Ok(None)) {
                unused.push(folder);
            }
        }
        drop(snapshot);
        made = MadeFolders(unused);
        filesets.unmake_folders(&made).await;
    }

    /// Removes the files of a managed fileset, or of every managed fileset below a container, before it is dropped: while
    /// they live, nobody else gets their places; from the first on they are marked, so that none is renamed and nobody comes to
    /// lie beside one until it is gone. Gives the filesets whose files were removed, or `None` where the object is no longer
    /// what was authorized. Files that a fileset which stays shares, and those of an external one, stay.
    ///
    /// # Errors
    /// [`OperationError::Unreachable`] where the storage does not do it; then the objects must stay too.
    pub(crate) async fn remove_managed_files(
        &self,
        call: &Call,
        found: &Found,
    ) -> Result<Option<RemovedFiles>, OperationError> {
        let object = found.row()?.object.id;
        let Some(mut write) = self.write_to_end(call, &[Area::Objects]).await? else {
            return Ok(None);
        };
        let managed = managed(write.filesets_below(object).await?)?;
        if managed.is_empty() {
            return Ok(Some(RemovedFiles::default()));
        }
        for fileset in &managed {
            mark(&mut write, fileset, true).await?;
        }
        write.commit().await?;
        let ending = managed.iter().map(|fileset| fileset.id).collect();
        match self.remove_files_of(&found.metalake, &managed, &ending).await {
            Ok(()) => Ok(Some(RemovedFiles(managed))),
            Err(error) => {
                self.unmark_or_warn(call, &managed).await;
                Err(error)
            }
        }
    }

    /// Lets a drop end whose files were removed; where it drops nothing, no fileset that stays is marked.
    ///
    /// # Errors
    /// Those of the drop.
    pub(crate) async fn unmark_unless_dropped(
        &self,
        call: &Call,
        removed: &RemovedFiles,
        drop: impl Future<Output = Result<bool, OperationError>>,
    ) -> Result<bool, OperationError> {
        let dropped = drop.await;
        if !removed.is_empty() && !matches!(dropped, Ok(true)) {
            self.unmark_or_warn(call, &removed.0).await;
        }
        dropped
    }

    async fn unmark_or_warn(&self, call: &Call, filesets: &[PlacedFileset]) {
        if let Err(error) = self.unmark(call, filesets).await {
            tracing::warn!(%error, "filesets that stay cannot be renamed until they are dropped");
        }
    }

    async fn unmark(&self, call: &Call, filesets: &[PlacedFileset]) -> Result<(), OperationError> {
        let mut write = self.write_on(call, &[Area::Objects]).await?;
        for fileset in filesets {
            mark(&mut write, fileset, false).await?;
        }
        Ok(write.commit().await?)
    }

    async fn remove_files_of(
        &self,
        metalake: &str,
        managed: &[PlacedFileset],
        ending: &BTreeSet<ObjectId>,
    ) -> Result<(), OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let mut removals = Vec::with_capacity(managed.len());
        for fileset in managed {
            let above = snapshot.ancestors(fileset.schema_id).await?;
            let catalog = above
                .into_iter()
                .find(|row| row.object.kind == ObjectKind::Catalog)
                .ok_or_else(|| OperationError::internal("a fileset is in no catalog"))?;
            for place in &fileset.locations {
                let others = snapshot.filesets_overlapping(&place.location, None).await?;
                if others.is_subset(ending) {
                    removals.push((catalog.object.clone(), place));
                } else {
                    tracing::warn!(
                        location = place.shown,
                        "the files of a dropped fileset stay, since another fileset has some of them"
                    );
                }
            }
        }
        drop(snapshot);
        for (catalog, place) in removals {
            let provider = self.provider_of(metalake, &catalog)?;
            filesets_of(provider.as_ref())?
                .remove_files(&place.location)
                .await?;
        }
        Ok(())
    }

    /// As [`Self::remove_managed_files`], for a container that `write` is about to drop: makes sure that nothing managed came
    /// since.
    ///
    /// # Errors
    /// [`OperationError::Conflict`].
    pub(crate) async fn require_removed(
        &self,
        write: &mut Write,
        container: ObjectId,
        removed: &RemovedFiles,
    ) -> Result<(), OperationError> {
        let managed = managed(write.filesets_below(container).await?)?;
        let is_removed = |fileset: &PlacedFileset| removed.0.iter().any(|gone| gone.id == fileset.id);
        if managed.iter().all(is_removed) {
            return Ok(());
        }
        Err(OperationError::Conflict(
            "a fileset was created in it while it was being dropped; drop it again".to_owned(),
        ))
    }

    /// Removes the folders of a dropped schema where they are empty and nothing else lies there. Best effort.
    pub(crate) async fn remove_schema_folders(&self, filesets: &dyn FilesetCatalog, folders: Vec<String>) {
        for folder in folders {
            let Ok(mut snapshot) = self.store().snapshot().await else {
                return;
            };
            let is_free = matches!(snapshot.location_holder(&folder, None).await, Ok(None))
                && matches!(self.is_own_place(filesets, &folder), Ok(false));
            drop(snapshot);
            if is_free {
                filesets.remove_empty_folder(&folder).await;
            }
        }
    }
}

/// Says, or no longer says, that the files of a fileset are being removed. One that is gone needs no word.
async fn mark(write: &mut Write, fileset: &PlacedFileset, is_ending: bool) -> Result<(), OperationError> {
    let mut detail = fileset.detail.clone();
    if let Some(members) = detail.as_object_mut() {
        if is_ending {
            members.insert(ENDING_FILES.to_owned(), true.into());
        } else {
            members.remove(ENDING_FILES);
        }
    }
    let change = ObjectChange {
        detail: Some(detail),
        ..ObjectChange::default()
    };
    match write.alter_object(fileset.id, &change).await {
        Err(error) if error.is_missing() => Ok(()),
        other => Ok(other.map(drop)?),
    }
}

/// Whether the files of a fileset are being removed, or were when a server broke off.
pub(crate) fn is_ending(detail: &serde_json::Value) -> bool {
    detail.get(ENDING_FILES).is_some()
}

fn managed(filesets: Vec<PlacedFileset>) -> Result<Vec<PlacedFileset>, OperationError> {
    let mut managed = Vec::with_capacity(filesets.len());
    for fileset in filesets {
        match fileset_type(&fileset.detail)? {
            FilesetType::Managed => managed.push(fileset),
            FilesetType::External => {}
        }
    }
    Ok(managed)
}

/// Makes places those of a fileset that `write` created.
///
/// # Errors
/// [`OperationError::Invalid`] where one is taken; [`OperationError::Conflict`] beside a fileset whose files are being removed.
pub(crate) async fn claim_places(
    write: &mut Write,
    fileset: ObjectId,
    places: &[FilesetLocationRow],
    beside: &Beside,
) -> Result<(), OperationError> {
    for other in beside {
        require_staying(write, *other).await??;
    }
    for place in places {
        match write.claim_fileset_location(fileset, place, beside).await? {
            Claimed::Mine
                if write.is_ended_location(&place.location).await?
                    || write.is_lent_location(&place.location).await? =>
            {
                return Err(overlaps(&place.shown));
            }
            Claimed::Mine => {}
            // What it is, the caller may not be allowed to know.
            Claimed::Taken(_) => return Err(overlaps(&place.shown)),
        }
    }
    Ok(())
}

/// Refuses to come to lie beside a fileset of the caller's whose files are being removed.
async fn require_staying(
    snapshot: &mut Snapshot,
    beside: ObjectId,
) -> Result<Result<(), OperationError>, OperationError> {
    let row = snapshot.object(beside).await?;
    if row.is_none_or(|row| !is_ending(&row.object.detail)) {
        return Ok(Ok(()));
    }
    Ok(Err(OperationError::Conflict(
        "the files of a fileset of yours in the same place are being removed; drop it first".to_owned(),
    )))
}

/// A place by its configured name and by its real one, as far as it exists.
fn names_of(place: &Path) -> std::io::Result<[PathBuf; 2]> {
    let named = std::path::absolute(place)?;
    for existing in named.ancestors() {
        let Ok(real) = std::fs::canonicalize(existing) else {
            continue;
        };
        let real = match named.strip_prefix(existing) {
            Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
            Ok(_) | Err(_) => real,
        };
        return Ok([named, real]);
    }
    Ok([named.clone(), named])
}
