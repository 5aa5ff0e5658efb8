// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The work itself. Whatever refuses, fails or is not known leaves the files as they are: files that stay are garbage,
//! files that are missing are damage.

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use lakeward_authorization::{Authorized, Privilege, Requirement, authorize};
use lakeward_catalog::loaded_table::LoadedTable;
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::provider::Provider;
use lakeward_catalog::table_maintenance::{
    Expiry, FoundFile, FoundFiles, NamedFiles, PlannedExpiry, Sought, TableMaintenance,
};
use lakeward_job_executor::WorkLog;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_read_restrictions::admission::admit;

use super::Maintenance;
use super::request::MaintenanceRequest;
use crate::Operations;
use crate::caller::{Call, Caller, Demand};
use crate::error::OperationError;
use crate::iceberg_commit::CommitPath;
use crate::load_governed_table::schema_of;
use crate::named::Names;
use crate::notes::Notes;
use crate::notices::now;
use crate::paths::TablePath;
use crate::providers::tables_of;
use crate::upstream::Met;

/// What it takes to change a table.
const MODIFY_TABLE: Requirement = Requirement::On {
    kind: ObjectKind::Table,
    holding: &[Privilege::ModifyTable],
};

/// How many files are deleted before it is looked again whether they still may be.
const AT_ONCE: usize = 100;
/// How many of these at the same time.
const CONCURRENCY: usize = 8;
/// How often an expiry is planned again after somebody else's commit came first.
const ATTEMPTS: u32 = 20;
/// How long is waited before that, longer each time.
const PAUSE: Duration = Duration::from_millis(50);
/// How many names of each kind an output holds.
const FIRST: usize = 1000;

/// A table at one moment, and the caller who may change it then.
struct Stand {
    call: Call,
    path: Authorized<CommitPath>,
    provider: Arc<dyn Provider>,
    id: ObjectId,
    table: LoadedTable,
}

impl Stand {
    fn maintenance(&self) -> Result<&dyn TableMaintenance, OperationError> {
        self.provider.maintenance().ok_or_else(|| {
            OperationError::Unsupported(
                "the files of tables of this catalog are not kept by this server".to_owned(),
            )
        })
    }

    fn location(&self) -> &str {
        &self.table.metadata.facts().location
    }
}

/// What is known of the files of a table while some are deleted.
struct Survey {
    work: Maintenance,
    id: ObjectId,
    location: String,
    /// The newest version whose names are noted.
    version: String,
    named: NamedFiles,
}

impl Survey {
    /// Notes what the table names now, where it has another version. What a version named stays noted.
    async fn follow(&mut self, stand: &Stand) -> Result<(), OperationError> {
        if stand.id != self.id || stand.location() != self.location {
            return Err(OperationError::Conflict(
                "the table was replaced or moved meanwhile; run the job again".to_owned(),
            ));
        }
        if stand.table.metadata_location == self.version {
            return Ok(());
        }
        let maintenance = stand.maintenance()?;
        match self.work {
            Maintenance::ExpireSnapshots => maintenance.note_living(&stand.table, &mut self.named).await?,
            Maintenance::RemoveOrphanFiles => {
                maintenance.note_everything(&stand.table, &mut self.named).await?;
            }
            Maintenance::CleanUpMetadataFiles => {
                maintenance.note_metadata(&stand.table, &mut self.named).await?;
            }
        }
        self.version.clone_from(&stand.table.metadata_location);
        Ok(())
    }
}

/// What became of found files.
#[derive(Default)]
struct Tally {
    deleted: usize,
    spared: usize,
}

impl Operations {
    /// Refuses a run that the caller may not make now, or that can never be made.
    ///
    /// # Errors
    /// As a commit to the table; [`OperationError::Unsupported`].
    pub(super) async fn require_maintainable(
        &self,
        caller: &Caller,
        request: &MaintenanceRequest,
    ) -> Result<(), OperationError> {
        let stand = self.stand(caller, &request.table).await?;
        stand.maintenance().map(drop)
    }

    /// Does what is asked, and says what it does. One job at a time does, since each may remember very many names.
    ///
    /// # Errors
    /// Why it was not done to its end.
    pub(super) async fn maintain(
        &self,
        caller: &Caller,
        request: &MaintenanceRequest,
        log: &mut WorkLog,
    ) -> Result<(), OperationError> {
        let _turn = self.maintenance_turn().lock().await;
        log.line(&format!("table: {}", request.table.object().full_name()))
            .await;
        log.line(&format!("dry-run: {}", request.dry_run)).await;
        match request.work {
            Maintenance::ExpireSnapshots => self.expire(caller, request, log).await,
            Maintenance::RemoveOrphanFiles => {
                self.remove_unnamed(caller, request, Sought::Everything, log)
                    .await
            }
            Maintenance::CleanUpMetadataFiles => {
                self.remove_unnamed(caller, request, Sought::MetadataFiles, log)
                    .await
            }
        }
    }

    async fn expire(
        &self,
        caller: &Caller,
        request: &MaintenanceRequest,
        log: &mut WorkLog,
    ) -> Result<(), OperationError> {
        let expiry = Expiry {
            now: now(),
            older_than: request.older_than,
            retain_last: request.retain_last,
            allow_recent: request.allow_recent,
        };
        for attempt in 1..=ATTEMPTS {
            let stand = self.stand(caller, &request.table).await?;
            let maintenance = stand.maintenance()?;
            let planned = maintenance.plan_expiry(&stand.table, &expiry)?;
            if planned.commit.updates.is_empty() {
                say_expiry(&planned, &FoundFiles::default(), log).await;
                return Ok(());
            }
            // All that can be unreadable is read before the commit, so that it leaves no files that nobody finds.
            let mut survey = self.survey_after(&stand, &request.table, &planned).await?;
            let found = maintenance
                .files_of_expired(&stand.table, &planned.snapshots, &survey.named, request.max_files)
                .await?;
            if found.is_cut {
                return Err(OperationError::invalid(format!(
                    "{} snapshots would be expired, and more than {} files with them (`max_files`); nothing was changed: \
                     allow more files, or expire fewer snapshots by an earlier `older_than`",
                    planned.snapshots.len(),
                    request.max_files
                )));
            }
            if request.dry_run {
                say_expiry(&planned, &found, log).await;
                return Ok(());
            }
            let Stand {
                call, path, table, ..
            } = &stand;
            let made = self
                .commit_to_version(call, path, &table.metadata_location, &planned.commit)
                .await?;
            let Some(version) = made else {
                tokio::time::sleep(PAUSE * attempt).await;
                continue;
            };
            survey.version = version;
            say_expiry(&planned, &found, log).await;
            return self.delete(caller, request, survey, found.files, log).await;
        }
        Err(OperationError::Conflict(format!(
            "others committed to the table {ATTEMPTS} times before the expiry could; nothing was changed"
        )))
    }

    /// What the table will name when a planned expiry is made.
    async fn survey_after(
        &self,
        stand: &Stand,
        table: &TablePath,
        planned: &PlannedExpiry,
    ) -> Result<Survey, OperationError> {
        let place = self.place_in(&schema_of(stand.call.facts.found()?)?, &table.name);
        let base = MetadataFile {
            location: &stand.table.metadata_location,
            digest: Some(stand.table.metadata.digest()),
        };
        let after = tables_of(stand.provider.as_ref())?
            .plan_commit(&place, Some(base), &planned.commit)
            .await?;
        let after = after.table.map_ref(Clone::clone);
        let mut survey = survey(Maintenance::ExpireSnapshots, stand);
        stand
            .maintenance()?
            .note_living(&after, &mut survey.named)
            .await?;
        Ok(survey)
    }

    async fn remove_unnamed(
        &self,
        caller: &Caller,
        request: &MaintenanceRequest,
        sought: Sought,
        log: &mut WorkLog,
    ) -> Result<(), OperationError> {
        let stand = self.stand(caller, &request.table).await?;
        self.require_alone(&stand).await?;
        let mut survey = survey(request.work, &stand);
        survey.follow(&stand).await?;
        let older_than = request.older_than.unwrap_or(i64::MIN);
        let mut found = stand
            .maintenance()?
            .find_unnamed(&stand.table, sought, older_than, &survey.named, request.max_files)
            .await?;
        // What was named while the folders were read.
        let stand = self.stand(caller, &request.table).await?;
        survey.follow(&stand).await?;
        let maintenance = stand.maintenance()?;
        found
            .files
            .retain(|file| !maintenance.is_named(file, &survey.named));
        say_files(&found, log).await;
        if request.dry_run {
            return Ok(());
        }
        self.delete(caller, request, survey, found.files, log).await
    }

    /// Deletes found files, some at a time, as long as the caller may and nothing names them.
    async fn delete(
        &self,
        caller: &Caller,
        request: &MaintenanceRequest,
        mut survey: Survey,
        files: Vec<FoundFile>,
        log: &mut WorkLog,
    ) -> Result<(), OperationError> {
        let mut tally = Tally::default();
        let mut outcome = Ok(());
        for some in files.chunks(AT_ONCE) {
            outcome = self
                .delete_some(caller, request, &mut survey, some, &mut tally)
                .await;
            if outcome.is_err() {
                break;
            }
        }
        let Tally { deleted, spared } = tally;
        log.line(&format!("deleted: {deleted} of {}", files.len())).await;
        log.line(&format!("named meanwhile, left: {spared}")).await;
        tracing::info!(
            user = caller.subject.user,
            request_id = caller.request_id,
            table = request.table.object().full_name(),
            job = request.work.template(),
            deleted,
            of = files.len(),
            "files of a table were deleted by maintenance"
        );
        outcome
    }

    /// Tries each of them once, so that it is known what became of it.
    async fn delete_some(
        &self,
        caller: &Caller,
        request: &MaintenanceRequest,
        survey: &mut Survey,
        files: &[FoundFile],
        tally: &mut Tally,
    ) -> Result<(), OperationError> {
        let stand = self.stand(caller, &request.table).await?;
        if request.work != Maintenance::ExpireSnapshots {
            self.require_alone(&stand).await?;
        }
        survey.follow(&stand).await?;
        let maintenance = stand.maintenance()?;
        let table = &stand.table;
        let due: Vec<FoundFile> = files
            .iter()
            .filter(|file| !maintenance.is_named(file, &survey.named))
            .cloned()
            .collect();
        tally.spared += files.len() - due.len();
        let tried: Vec<_> = stream::iter(due)
            .map(|file| async move { maintenance.delete_file(table, &file).await })
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        tally.deleted += tried.iter().filter(|deleted| deleted.is_ok()).count();
        Ok(tried.into_iter().collect::<Result<(), _>>()?)
    }

    /// Refuses to look for unnamed files where some of something else may lie.
    async fn require_alone(&self, stand: &Stand) -> Result<(), OperationError> {
        if self.is_location_taken(stand.location(), Some(stand.id)).await? {
            return Err(OperationError::invalid(
                "the table's location overlaps that of another table, view or fileset, or of a dropped one whose files are \
                 still there; what lies in it is not told apart, and nothing is deleted",
            ));
        }
        Ok(())
    }

    /// The table as it is now, decided for the caller as of now.
    async fn stand(&self, caller: &Caller, table: &TablePath) -> Result<Stand, OperationError> {
        self.require_living_token(caller).await?;
        let mut caller = caller.clone();
        let path = CommitPath {
            table: table.clone(),
            creates: false,
        };
        let named = path.named().asked_by(&caller.subject.user);
        let facts = self.open_gate(&mut caller, &named).await?;
        let demand = Demand::new(MODIFY_TABLE, named, "maintainTable");
        let path = authorize(&demand.requires, path, facts.target(), facts.grants())
            .map_err(|refusal| demand.refused(&refusal))?;
        let call = Call {
            caller,
            facts,
            demand,
            notes: Notes::default(),
            met: Met::default(),
            keyed: None,
        };
        let found = call.facts.found()?;
        self.require_kept_here(found)?;
        let current = self.current_table(&call, found).await?;
        self.refuse_when_restricted(&call, found, &current).await?;
        let restrictions = self.clear(&call, found, &current.fields()).await?;
        let Caller {
            capabilities, trust, ..
        } = &call.caller;
        let table = admit(current.table, restrictions, capabilities, trust)?;
        Ok(Stand {
            table: table.value().clone(),
            id: current.row.id,
            provider: current.provider,
            path,
            call,
        })
    }
}

fn survey(work: Maintenance, stand: &Stand) -> Survey {
    Survey {
        work,
        id: stand.id,
        location: stand.location().to_owned(),
        version: String::new(),
        named: NamedFiles::default(),
    }
}

async fn say_expiry(planned: &PlannedExpiry, found: &FoundFiles, log: &mut WorkLog) {
    say("snapshots", &planned.snapshots, log).await;
    say("branches and tags", &planned.references, log).await;
    say_files(found, log).await;
    log.line(&format!(
        "files outside the table's location, left: {}",
        found.outside
    ))
    .await;
}

async fn say_files(found: &FoundFiles, log: &mut WorkLog) {
    let locations: Vec<&str> = found.files.iter().map(|file| file.location.as_str()).collect();
    say("files", &locations, log).await;
    let known: Vec<u64> = found.files.iter().filter_map(|file| file.bytes).collect();
    let bytes = known.iter().fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
    log.line(&format!(
        "bytes: {bytes} (of {} files whose size is known)",
        known.len()
    ))
    .await;
    if found.is_cut {
        log.line("there are more files; run the job again for them (`max_files`)")
            .await;
    }
}

/// A count and the first of what was counted, a line each.
async fn say(what: &str, items: &[impl std::fmt::Display], log: &mut WorkLog) {
    log.line(&format!("{what}: {}", items.len())).await;
    for item in items.iter().take(FIRST) {
        log.line(&format!("  {item}")).await;
    }
    if items.len() > FIRST {
        log.line(&format!("  and {} more", items.len() - FIRST)).await;
    }
}
