// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Commits of the Iceberg protocol, to one table or to several at once.
//!
//! A commit is cleared first: access in the newest state, requirements, restrictions of what is there and of what will
//! be, and what a restricted caller may do. Clearing has no effect. Only then anything is written, and only the last
//! write, of all pointers together, is seen by anybody.

use std::collections::HashSet;
use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use lakeward_authorization::Authorized;
use lakeward_authorization::requirement::Circumstance;
use lakeward_catalog::provider::Provider;
use lakeward_catalog::table_catalog::{AppendProof, CommitEffect, IcebergCommit, PlannedTable, TableCatalog};
use lakeward_metadata::kind::ObjectKind;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_store::ObjectRow;

use crate::Operations;
use crate::caller::Call;
use crate::delegation::Delegated;
use crate::error::{Clash, OperationError};
use crate::etag::Representation;
use crate::external_name::check_external_name;
use crate::facts::Found;
use crate::load_governed_table::{ServedTable, fields, schema_of};
use crate::metadata_file::file_of;
use crate::named::{Named, NamedWhat, Names};
use crate::paths::{CatalogPath, TablePath};
use crate::providers::tables_of;
use crate::table_placement::{Change, Place, location_of, overlaps};

/// How many tables of a transaction are read and cleared at the same time.
const CLEARED_AT_A_TIME: usize = 8;

/// A table that is committed to, and whether the commit creates it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommitPath {
    /// The table.
    pub table: TablePath,
    /// Whether the commit asserts that it creates the table.
    pub creates: bool,
}

impl Names for CommitPath {
    fn named(&self) -> Named {
        self.table.named().saying(Circumstance::Creates, self.creates)
    }
}

/// The tables of one transaction, all of one catalog and each named once. Of a transaction that names none, because its
/// body is malformed, the catalog is what is decided on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TransactionPath {
    catalog: CatalogPath,
    tables: Vec<CommitPath>,
}

impl TransactionPath {
    /// The tables of a transaction.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] when there is none, and for a table that is named twice: the second commit was not
    /// made from what the first leaves.
    pub fn new(catalog: CatalogPath, tables: Vec<CommitPath>) -> Result<Self, OperationError> {
        if tables.is_empty() {
            return Err(OperationError::invalid("a transaction names at least one table"));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = tables.iter().find(|path| !seen.insert(&path.table)) {
            return Err(OperationError::invalid(format!(
                "table `{}` is named twice in one transaction; put all its updates into one change",
                twice.table.name
            )));
        }
        Ok(Self { catalog, tables })
    }

    /// A transaction whose body says nothing: only who may commit to everything in the catalog learns why.
    pub fn unknown(catalog: CatalogPath) -> Self {
        Self {
            catalog,
            tables: Vec::new(),
        }
    }
}

impl Names for TransactionPath {
    fn named(&self) -> Named {
        if self.tables.is_empty() {
            return self.catalog.named();
        }
        let objects = self.tables.iter().map(|path| {
            let says = path.creates.then_some(Circumstance::Creates);
            (path.table.object(), says.into_iter().collect())
        });
        Named::of(&self.catalog.metalake, NamedWhat::Several(objects.collect()))
    }
}

/// A commit that passed every check and has had no effect yet.
struct ClearedCommit {
    provider: Arc<dyn Provider>,
    planned: PlannedTable,
    restrictions: ReadRestrictions,
    target: CommitTarget,
}

enum CommitTarget {
    Table(ObjectRow),
    New { schema: ObjectRow, name: String },
}

impl ClearedCommit {
    fn change(&self) -> Change<'_> {
        match &self.target {
            CommitTarget::Table(table) => Change::Commit {
                table,
                planned: &self.planned,
            },
            CommitTarget::New { schema, name } => Change::Create {
                place: Place { schema, name },
                planned: &self.planned,
            },
        }
    }
}

impl Operations {
    /// Commits to a table, or creates it where the commit asserts that it does.
    ///
    /// # Errors
    /// [`OperationError::Conflict`] when a requirement fails, another commit was faster, or privileges or restrictions
    /// changed meanwhile; [`OperationError::Invalid`];
    /// [`OperationError::NotFound`]; [`OperationError::NotAdmitted`]; [`OperationError::Restriction`] when the caller
    /// sees only a part of the table and the commit does more than append.
    pub async fn commit_iceberg_table(
        &self,
        call: &Call,
        path: Authorized<CommitPath>,
        commit: &IcebergCommit,
        representation: Representation<'_>,
    ) -> Result<ServedTable, OperationError> {
        let found = call.facts.found()?;
        let grounds = self.grounds(call).await?;
        let cleared = self.clear_commit(call, found, &path, commit).await?;
        let tables = tables_of(cleared.provider.as_ref())?;
        match cleared.change() {
            Change::Commit { table, planned } => {
                self.change_table(call, tables, table, planned, &grounds).await?;
            }
            Change::Create { place, planned } => {
                self.place_table(call, tables, place, planned)
                    .await
                    .map_err(not_created)?;
            }
        }
        // The answer to a commit has no place for credentials: whoever commits has written its files already.
        self.serve_changed(
            call,
            cleared.planned.table,
            cleared.restrictions,
            representation,
            Delegated::default(),
        )
        .await
    }

    /// Commits to a table for a job of the caller, provided that the version at `base` is still the current one. Gives where
    /// the new version is, and `None` where somebody else's commit came first: then nothing was changed.
    ///
    /// # Errors
    /// As [`Operations::commit_iceberg_table`], but for a lost race.
    pub(crate) async fn commit_to_version(
        &self,
        call: &Call,
        path: &Authorized<CommitPath>,
        base: &str,
        commit: &IcebergCommit,
    ) -> Result<Option<String>, OperationError> {
        let lost = |error: OperationError| {
            if matches!(error, OperationError::Conflict(_) | OperationError::Overtaken) {
                return Ok(None);
            }
            Err(error)
        };
        let found = call.facts.found()?;
        let grounds = self.grounds(call).await?;
        let cleared = match self.clear_commit(call, found, path, commit).await {
            Ok(cleared) => cleared,
            Err(error) => return lost(error),
        };
        let (Change::Commit { table, planned }, true) =
            (cleared.change(), cleared.planned.base.as_deref() == Some(base))
        else {
            return Ok(None);
        };
        let tables = tables_of(cleared.provider.as_ref())?;
        match self.change_table(call, tables, table, planned, &grounds).await {
            Ok(()) => Ok(Some(
                planned.table.map_ref(|table| table.metadata_location.clone()),
            )),
            Err(error) => lost(error),
        }
    }

    /// Commits to several tables of a catalog, to all of them or to none. `commits` are in the order of the path.
    ///
    /// # Errors
    /// As [`Operations::commit_iceberg_table`], for the first table that is refused; every table is then as before.
    pub async fn commit_iceberg_transaction(
        &self,
        call: &Call,
        path: Authorized<TransactionPath>,
        commits: &[IcebergCommit],
    ) -> Result<(), OperationError> {
        let founds = call.facts.several();
        if founds.len() != path.tables.len() || commits.len() != founds.len() {
            return Err(OperationError::internal("a transaction has lost a table"));
        }
        let grounds = self.grounds(call).await?;
        let clearings: Vec<_> = founds
            .iter()
            .zip(&path.tables)
            .zip(commits)
            .map(|((found, path), commit)| self.clear_commit(call, found, path, commit))
            .collect();
        // Clearing has no effect, so several go on at a time; the first that is refused, in the order of the path, is told.
        let cleared: Vec<ClearedCommit> = stream::iter(clearings)
            .buffered(CLEARED_AT_A_TIME)
            .try_collect()
            .await?;
        let Some(first) = cleared.first() else {
            return Ok(());
        };
        let tables = tables_of(first.provider.as_ref())?;
        let changes: Vec<Change<'_>> = cleared.iter().map(ClearedCommit::change).collect();
        self.change_together(call, tables, &changes, &grounds)
            .await
            .map_err(not_created)
    }

    /// Everything that can refuse a commit, without any effect.
    async fn clear_commit(
        &self,
        call: &Call,
        found: &Found,
        path: &CommitPath,
        commit: &IcebergCommit,
    ) -> Result<ClearedCommit, OperationError> {
        if path.creates {
            if found.row().is_ok() {
                // Who may create here may not be allowed to load it: nothing of it is looked at, no requirement compared.
                return Err(created_before());
            }
            return self.clear_creation(call, found, &path.table, commit).await;
        }
        self.require_kept_here(found)?;
        let current = self.current_table(call, found).await?;
        let seen = self.clear(call, found, &current.fields()).await?;
        let tables = tables_of(current.provider.as_ref())?;
        let stand = self.place_in(&schema_of(found)?, &path.table.name);
        let base = file_of(&current.pointer);
        let planned = tables.plan_commit(&stand, Some(base), commit).await?;
        // Before the new version is looked at: one without the masked column would itself be unrestricted, and one
        // without a column that a filter needs would have no restrictions at all.
        if seen.is_active() {
            refuse_more_than_appends(tables, &planned).await?;
        }
        let restrictions = self.clear(call, found, &planned.table.map_ref(fields)).await?;
        if restrictions.is_active() && !seen.is_active() {
            refuse_more_than_appends(tables, &planned).await?;
        }
        if planned.location_is_new
            && self
                .is_location_taken(&location_of(&planned), Some(current.row.id))
                .await?
        {
            return Err(overlaps(&location_of(&planned)));
        }
        Ok(ClearedCommit {
            planned,
            restrictions,
            target: CommitTarget::Table(current.row),
            provider: current.provider,
        })
    }

    async fn clear_creation(
        &self,
        call: &Call,
        found: &Found,
        path: &TablePath,
        commit: &IcebergCommit,
    ) -> Result<ClearedCommit, OperationError> {
        let schema = schema_of(found)?;
        found.require_in_use()?;
        let provider = self.provider_in(&schema.metalake, &schema)?;
        let tables = tables_of(provider.as_ref())?;
        check_external_name(ObjectKind::Table, &path.name)?;
        let row = schema.row()?.object.clone();
        let place = Place {
            schema: &row,
            name: &path.name,
        };
        self.require_free_table_name(place).await?;
        let stand = self.place_in(&schema, &path.name);
        let planned = tables.plan_commit(&stand, None, commit).await?;
        let restrictions = self.clear(call, &schema, &planned.table.map_ref(fields)).await?;
        Ok(ClearedCommit {
            planned,
            restrictions,
            target: CommitTarget::New {
                schema: row,
                name: path.name.clone(),
            },
            provider,
        })
    }
}

/// What was asserted not to exist exists.
fn created_before() -> OperationError {
    OperationError::Conflict("Requirement failed: table already exists".to_owned())
}

/// What was asserted not to exist may exist by the time it is made.
fn not_created(error: OperationError) -> OperationError {
    // A view of that name is no table that came first: retrying does not help.
    if matches!(
        error,
        OperationError::AlreadyExists {
            clash: Clash::Same,
            ..
        }
    ) {
        return created_before();
    }
    error
}

/// Refuses a change, by a caller who sees the table only in part, that does more than add rows.
async fn refuse_more_than_appends(
    tables: &dyn TableCatalog,
    planned: &PlannedTable,
) -> Result<(), OperationError> {
    if planned.effect != CommitEffect::AppendsOnly {
        return Err(restricted_write("it does more than append"));
    }
    match tables.prove_append(planned).await? {
        AppendProof::Holds => Ok(()),
        AppendProof::Fails(reason) => Err(restricted_write(&reason)),
    }
}

/// The refusal of a change by a caller who sees the table only in part.
pub(crate) fn restricted_write(reason: &str) -> OperationError {
    OperationError::restricted_write(format!(
        "this change is refused: {reason}. The table has read restrictions for you, so you may append to it but not \
         replace, overwrite, delete, roll back, redefine or drop what you see only in part; ask somebody whom they do \
         not restrict"
    ))
}
