// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What all queries of a process share: memory, and a disk for what does not fit into it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};

use super::memory::{Memory, QueryPool};
use super::query_error;
use super::sandbox::NoObjectStores;
use super::spill_folder::SpillFolder;
use crate::error::ReaderError;

/// A limit and how to change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// So many bytes.
    pub bytes: usize,
    /// The setting that an operator changes, as it is written (`--memory`); errors name it.
    pub setting: &'static str,
}

/// What the queries of a process may use together and each.
#[derive(Debug)]
pub struct ResourceSettings {
    /// Memory of all queries together: sorts, joins, aggregations, exchanges, deleted rows. What a scan holds in its
    /// hands, a few batches for each thread, is not counted.
    pub memory: Limit,
    /// Memory of all queries of one user.
    pub memory_per_user: Limit,
    /// Memory of one query.
    pub memory_per_query: Limit,
    /// So many queries at once have half of the memory for sure, each an equal share of it; the other half goes to those
    /// that need more, in equal shares.
    pub queries: usize,
    /// Where they put what does not fit; without it, what does not fit is refused.
    pub spill: Option<SpillSettings>,
}

/// Where queries put what does not fit into memory.
#[derive(Debug)]
pub struct SpillSettings {
    /// The folder of this process.
    pub folder: SpillFolder,
    /// Bytes of all queries together.
    pub total: Limit,
    /// Bytes of one query.
    pub per_query: Limit,
}

/// The resources of a process. Cheap to clone. When the last clone is gone and no query runs, the folder is removed.
#[derive(Debug, Clone)]
pub struct Resources(Arc<Pooled>);

#[derive(Debug)]
struct Pooled {
    memory: Arc<Memory>,
    disk: Arc<Disk>,
}

/// The share of one user.
#[derive(Debug, Clone)]
pub struct Share {
    resources: Resources,
    user: Arc<str>,
}

/// What is in use at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Queries that hold a share.
    pub queries: usize,
    /// Bytes of memory that they reserved.
    pub memory_reserved: usize,
    /// Bytes of memory that they may reserve.
    pub memory_limit: usize,
    /// Bytes of the files that they spilled. A file that is read for the last time is removed then, and not counted.
    pub spilled_bytes: u64,
    /// Number of these files.
    pub spilled_files: usize,
    /// Bytes that were ever spilled by queries that have ended.
    pub spilled_in_all: u64,
}

impl Resources {
    /// The resources of a process.
    pub fn new(settings: ResourceSettings) -> Self {
        let disk = Arc::new(Disk {
            spill: settings.spill,
            managers: Mutex::default(),
            in_all: AtomicU64::new(0),
        });
        let memory = Memory::new(
            settings.memory,
            settings.memory_per_user,
            settings.memory_per_query,
            settings.queries,
            Arc::clone(&disk),
        );
        Self(Arc::new(Pooled {
            memory: Arc::new(memory),
            disk,
        }))
    }

    /// Memory for one query, and no disk.
    pub(super) fn of_one_query(bytes: usize) -> Self {
        let limit = Limit {
            bytes,
            setting: "`memory_bytes` of the session's limits",
        };
        Self::new(ResourceSettings {
            memory: limit,
            memory_per_user: limit,
            memory_per_query: limit,
            queries: 1,
            spill: None,
        })
    }

    /// The share of a user. All shares with one name are one.
    pub fn of_user(&self, user: &str) -> Share {
        Share {
            resources: self.clone(),
            user: user.into(),
        }
    }

    #[cfg(test)]
    pub(super) fn disk(&self) -> Arc<Disk> {
        Arc::clone(&self.0.disk)
    }

    /// What is in use.
    pub fn usage(&self) -> Usage {
        let (queries, memory_reserved) = self.0.memory.in_use();
        let (spilled_bytes, spilled_files) = self.0.disk.in_use();
        Usage {
            queries,
            memory_reserved,
            memory_limit: self.0.memory.limit(),
            spilled_bytes,
            spilled_files,
            spilled_in_all: self.0.disk.in_all.load(Ordering::Relaxed),
        }
    }
}

impl Share {
    /// What one query runs in: its memory and its folder end with the last use of the runtime.
    pub(super) fn begin(&self) -> Result<Runtime, ReaderError> {
        let Pooled { memory, disk } = self.resources.0.as_ref();
        let pool = Arc::new(QueryPool::new(Arc::clone(memory), Arc::clone(&self.user)));
        let disk_manager = match &disk.spill {
            // Each manager makes a folder of its own in the given one and removes it with its last file.
            Some(spill) => DiskManagerBuilder::default()
                .with_mode(DiskManagerMode::Directories(vec![spill.folder.path().to_owned()]))
                .with_max_temp_directory_size(bytes(spill.per_query.bytes.min(spill.total.bytes))),
            None => DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled),
        };
        let env = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::clone(&pool) as _)
            .with_disk_manager_builder(disk_manager)
            .with_object_store_registry(Arc::new(NoObjectStores))
            .build_arc()
            .map_err(query_error)?;
        disk.add(&env.disk_manager);
        Ok(Runtime {
            env,
            pool,
            disk: Arc::clone(disk),
            memory_bytes: memory.of_one_query(),
        })
    }
}

/// What one query runs in.
#[derive(Debug, Clone)]
pub(super) struct Runtime {
    pub(super) env: Arc<RuntimeEnv>,
    pub(super) pool: Arc<QueryPool>,
    disk: Arc<Disk>,
    /// The most memory that it can ever have.
    pub(super) memory_bytes: usize,
}

impl Runtime {
    /// Counts bytes that it spilled.
    pub(super) fn count_spilled(&self, count: usize) {
        self.disk.in_all.fetch_add(bytes(count), Ordering::Relaxed);
    }
}

/// The disk of a process.
#[derive(Debug)]
pub(super) struct Disk {
    spill: Option<SpillSettings>,
    /// Those of living queries, and some of dead ones.
    managers: Mutex<Vec<Weak<DiskManager>>>,
    in_all: AtomicU64,
}

impl Disk {
    fn add(&self, manager: &Arc<DiskManager>) {
        if self.spill.is_none() {
            return;
        }
        let mut managers = self.managers.lock().unwrap_or_else(PoisonError::into_inner);
        managers.retain(|manager| manager.strong_count() > 0);
        managers.push(Arc::downgrade(manager));
    }

    fn in_use(&self) -> (u64, usize) {
        let managers = self.managers.lock().unwrap_or_else(PoisonError::into_inner);
        managers
            .iter()
            .filter_map(Weak::upgrade)
            .map(|manager| manager.spilling_progress())
            .fold((0, 0), |(bytes, files), progress| {
                (
                    bytes + progress.current_bytes,
                    files + progress.active_files_count,
                )
            })
    }

    /// Whether something could be spilled at all.
    pub(super) fn is_there(&self) -> bool {
        self.spill.is_some()
    }

    /// The limit of all queries together, if they are beyond it.
    pub(super) fn exceeded(&self) -> Option<Limit> {
        let total = self.spill.as_ref()?.total;
        (self.in_use().0 > bytes(total.bytes)).then_some(total)
    }

    /// The limit that the engine's own check of one query stands for.
    pub(super) fn of_one_query(&self) -> Option<Limit> {
        let spill = self.spill.as_ref()?;
        Some(if spill.per_query.bytes <= spill.total.bytes {
            spill.per_query
        } else {
            spill.total
        })
    }
}

fn bytes(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
