// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Planning of scans. Tasks name files and tell of what is in them, so they pass the gate like the table itself: before
//! anything of the plan is looked at, and again for every further part.

use lakeward_authorization::Authorized;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::scan::{IcebergScan, PinnedScan, ScanPart, ScanTasks};
use lakeward_read_restrictions::admission::Governed;
use tokio::sync::OnceCell;
use uuid::Uuid;

use crate::Operations;
use crate::caller::Call;
use crate::delegation::DelegationWish;
use crate::error::{Noun, OperationError};
use crate::etag::Representation;
use crate::load_governed_table::LoadedPlace;
use crate::paths::TablePath;
use crate::providers::tables_of;

/// The setting that holds the key of [`Operations::scan_key`].
const KEY_SETTING: &str = "scan-planning-key";

/// A client has its way to the files from the load of the table.
const FORM: Representation<'static> = Representation {
    snapshots: "refs",
    wish: DelegationWish {
        vended_credentials: false,
        remote_signing: false,
    },
};

/// A part of a scan that somebody was promised.
#[derive(Debug, Clone, PartialEq)]
pub struct PromisedPart {
    /// To whom.
    pub user: String,
    /// The id of the table's object.
    pub table: i64,
    /// The UUID of the table.
    pub table_uuid: String,
    /// The scan.
    pub scan: PinnedScan,
    /// The part.
    pub part: ScanPart,
}

/// Tasks of a scan with what it takes to promise the others.
#[derive(Debug)]
pub struct PlannedTasks {
    /// The part that these tasks are, as it was asked for.
    pub part: PromisedPart,
    /// The tasks.
    pub tasks: ScanTasks,
}

impl Operations {
    /// Plans a scan: gives the first tasks, and how to ask for the others.
    ///
    /// # Errors
    /// Those of [`Operations::load_governed_table`]; [`OperationError::Invalid`] for a scan of what the table does not have;
    /// [`OperationError::Unsupported`] for a table that is to be planned on the client.
    pub async fn plan_scan(
        &self,
        call: &Call,
        path: &Authorized<TablePath>,
        scan: &IcebergScan,
    ) -> Result<Governed<PlannedTasks>, OperationError> {
        let (served, LoadedPlace { provider, table, .. }) = self.load_with_place(call, path, FORM).await?;
        let loaded = served.table.value();
        let part = PromisedPart {
            user: call.user().to_owned(),
            table: table.value(),
            table_uuid: loaded.metadata.facts().uuid.clone(),
            scan: tables_of(provider.as_ref())?.pin_scan(loaded, scan)?,
            part: ScanPart::default(),
        };
        let tasks = tables_of(provider.as_ref())?
            .scan_tasks(loaded, &part.scan, part.part)
            .await?;
        Ok(served.table.map_ref(|_| PlannedTasks { part, tasks }))
    }

    /// The tasks of a part that was promised; `noun` is what a promise is called. `None` is one that nobody gave.
    ///
    /// # Errors
    /// Those of [`Operations::load_governed_table`]; [`OperationError::NotFound`] for a promise to somebody else, of another
    /// table, or of a snapshot that is gone.
    pub async fn promised_scan_tasks(
        &self,
        call: &Call,
        path: &Authorized<TablePath>,
        noun: Noun,
        promised: Option<PromisedPart>,
    ) -> Result<Governed<PlannedTasks>, OperationError> {
        let (served, LoadedPlace { provider, table, .. }) = self.load_with_place(call, path, FORM).await?;
        let loaded = served.table.value();
        let part = kept(
            call,
            noun,
            promised,
            (table.value(), &loaded.metadata.facts().uuid),
        )?;
        let tasks = tables_of(provider.as_ref())?
            .scan_tasks(loaded, &part.scan, part.part)
            .await;
        let tasks = tasks.map_err(|error| match error {
            CatalogError::Invalid(_) => no_such(noun),
            other @ (CatalogError::Unsupported(_)
            | CatalogError::LocationRefused(_)
            | CatalogError::RequirementFailed(_)
            | CatalogError::MetadataMissing(_)
            | CatalogError::MetadataInvalid { .. }
            | CatalogError::MetadataChanged(_)
            | CatalogError::FileExists(_)
            | CatalogError::Unavailable(_)) => other.into(),
        })?;
        Ok(served.table.map_ref(|_| PlannedTasks { part, tasks }))
    }

    /// Whether a promise is one; nothing is held for it that could be given up.
    ///
    /// # Errors
    /// As [`Operations::promised_scan_tasks`].
    pub async fn end_promised_scan(
        &self,
        call: &Call,
        path: &Authorized<TablePath>,
        noun: Noun,
        promised: Option<PromisedPart>,
    ) -> Result<(), OperationError> {
        let (served, place) = self.load_with_place(call, path, FORM).await?;
        let uuid = &served.table.value().metadata.facts().uuid;
        kept(call, noun, promised, (place.table.value(), uuid)).map(drop)
    }

    /// The key by which all nodes know the promises that one of them gave. Made when it is first needed.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn scan_key(&self) -> Result<&str, OperationError> {
        self.shared_key(&self.caches().scan_key, KEY_SETTING).await
    }

    /// A key that the nodes share: a setting, made by the first node that needs it.
    pub(crate) async fn shared_key<'a>(
        &self,
        known: &'a OnceCell<String>,
        setting: &'static str,
    ) -> Result<&'a str, OperationError> {
        let key = known.get_or_try_init(|| async {
            if let Some(key) = self.store().snapshot().await?.setting(setting).await? {
                return Ok::<_, OperationError>(key);
            }
            let mut write = self.store().write_server("system").await?;
            // Another node may have been faster.
            if let Some(key) = write.setting(setting).await? {
                return Ok(key);
            }
            let key = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
            write.put_setting(setting, &key).await?;
            write.commit().await?;
            Ok(key)
        });
        Ok(key.await?)
    }
}

/// The promise, if it was given to this caller for this table.
fn kept(
    call: &Call,
    noun: Noun,
    promised: Option<PromisedPart>,
    (table, uuid): (i64, &str),
) -> Result<PromisedPart, OperationError> {
    promised
        .filter(|part| part.user == call.user() && part.table == table && part.table_uuid == uuid)
        .ok_or_else(|| no_such(noun))
}

/// The text of a promise is long and says nothing to people.
fn no_such(noun: Noun) -> OperationError {
    OperationError::not_found(noun, "of this request")
}
