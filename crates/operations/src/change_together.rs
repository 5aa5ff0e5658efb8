// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The effect of a change of several tables: every metadata file first, then all pointers, rows and locations in one
//! write of the store. Until that write nobody sees anything; when it fails every file of the change is removed.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::stream::{self, StreamExt};
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::TableCatalog;
use lakeward_store::{Area, Grounds, PointerSwap, RequestOutcome, StoreError, SwapBegun, SwapContext};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::idempotency::ended_before;
use crate::step::Step;
use crate::table_placement::{Change, claim, location_of, lost, swap_of, unknown};

/// How many metadata files of one change are written or removed at the same time.
const FILES_AT_A_TIME: usize = 16;

impl Operations {
    /// Makes planned changes of tables of one catalog, all of them or none.
    ///
    /// # Errors
    /// [`OperationError::Conflict`] when somebody else's change came first or the `grounds` of the decision changed,
    /// [`OperationError::AlreadyExists`] for the name
    /// of a new table, [`OperationError::Invalid`] when a location overlaps; nothing is left behind then.
    /// [`OperationError::UnknownOutcome`] when the store broke off and cannot say.
    pub(crate) async fn change_together(
        &self,
        call: &Call,
        tables: &dyn TableCatalog,
        changes: &[Change<'_>],
        grounds: &Grounds,
    ) -> Result<(), OperationError> {
        self.pass(Step::File, &call.caller, write_all(tables, changes))
            .await?;
        let pointed = self
            .pass(
                Step::Swap,
                &call.caller,
                self.point_together(call, changes, grounds),
            )
            .await;
        match pointed {
            Ok(()) => {
                let removals: Vec<_> = changes
                    .iter()
                    .map(|change| tables.remove_expired(change.planned()))
                    .collect();
                stream::iter(removals)
                    .buffered(FILES_AT_A_TIME)
                    .collect::<()>()
                    .await;
                Ok(())
            }
            Err(error @ OperationError::UnknownOutcome { .. }) => Err(error),
            Err(error) => {
                discard(tables, changes).await;
                Err(error)
            }
        }
    }

    async fn point_together(
        &self,
        call: &Call,
        changes: &[Change<'_>],
        grounds: &Grounds,
    ) -> Result<(), OperationError> {
        let mut swaps: Vec<(PointerSwap, &str)> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Commit { table, planned } => Some((swap_of(table, planned), table.name.as_str())),
                Change::Create { .. } => None,
            })
            .collect();
        // Fixed order: two changes that share tables can never wait for each other.
        swaps.sort_by_key(|(swap, _)| swap.table_id);
        let moves_pointers_only = changes
            .iter()
            .all(|change| matches!(change, Change::Commit { planned, .. } if !planned.location_is_new));
        if moves_pointers_only {
            let bare: Vec<PointerSwap> = swaps.iter().map(|(swap, _)| swap.clone()).collect();
            let context = SwapContext {
                metalake: grounds.metalake,
                actor: call.user(),
                request: call.keyed.as_deref(),
                outcome: &RequestOutcome::default(),
            };
            let mut open = match self.store().begin_swap(&bare, context).await? {
                SwapBegun::Open(open) => open,
                SwapBegun::Lost(table) => {
                    let name = swaps.iter().find(|(swap, _)| swap.table_id == table);
                    return Err(lost(name.map_or("", |(_, name)| name)));
                }
                SwapBegun::Repeated => return Err(ended_before()),
            };
            self.require_still_decided(open.write(), call, grounds).await?;
            return match open.commit().await {
                Ok(_) => Ok(()),
                Err(error) => self.find_out_together(&swaps, error).await,
            };
        }
        let mut write = self.write_on(call, &[Area::Objects]).await?;
        // Before it makes tables itself, which their creator owns.
        self.require_still_decided(&mut write, call, grounds).await?;
        for (swap, name) in &swaps {
            match write.swap_table_pointer(swap).await {
                Ok(Some(_)) => {}
                Ok(None) => return Err(lost(name)),
                Err(error) if error.is_missing() => return Err(lost(name)),
                Err(error) => return Err(error.into()),
            }
        }
        for change in changes {
            match change {
                Change::Commit { table, planned } if planned.location_is_new => {
                    claim(&mut write, table.id, &location_of(planned)).await?;
                }
                Change::Commit { .. } => {}
                Change::Create { place, planned } => {
                    let location = location_of(planned);
                    self.insert_table(call, &mut write, *place, planned, &location)
                        .await?;
                }
            }
        }
        self.end_with(call, &mut write, RequestOutcome::default()).await?;
        match write.commit().await {
            Ok(()) => Ok(()),
            Err(error) => self.find_out_together(&swaps, error).await,
        }
    }

    /// After a failed write: whether it was made all the same, which the pointer of one table tells for all.
    async fn find_out_together(
        &self,
        swaps: &[(PointerSwap, &str)],
        error: StoreError,
    ) -> Result<(), OperationError> {
        match swaps.first() {
            Some((swap, name)) => match self.find_out(swap, error).await? {
                true => Ok(()),
                false => Err(lost(name)),
            },
            None => Err(unknown(error)),
        }
    }
}

/// Writes the files of all changes, or leaves none. Several at a time: each write waits until its storage has made the
/// file last. What is refused is told of the first change that was refused, in the order of the changes.
async fn write_all(tables: &dyn TableCatalog, changes: &[Change<'_>]) -> Result<(), OperationError> {
    let has_failed = &AtomicBool::new(false);
    let writes: Vec<_> = changes
        .iter()
        .map(|change| async move {
            if has_failed.load(Ordering::Relaxed) {
                return None;
            }
            let written = tables.write(change.planned()).await;
            if written.is_err() {
                has_failed.store(true, Ordering::Relaxed);
            }
            Some((change, written))
        })
        .collect();
    // They begin in order, so all before the first failure were begun; and each ends, since what is being written
    // cannot be removed yet.
    let ended: Vec<_> = stream::iter(writes).buffered(FILES_AT_A_TIME).collect().await;
    let mut refused = None;
    let mut ours = Vec::with_capacity(changes.len());
    for (change, written) in ended.into_iter().flatten() {
        // What did not say that it was written may be there all the same; a file that was there is not ours.
        if !matches!(written, Err(CatalogError::FileExists(_))) {
            ours.push(change);
        }
        refused = refused.or(written.err());
    }
    let Some(error) = refused else {
        return Ok(());
    };
    discard(tables, ours).await;
    Err(error.into())
}

async fn discard<'a>(tables: &dyn TableCatalog, changes: impl IntoIterator<Item = &'a Change<'a>>) {
    for change in changes {
        tables.discard(change.planned()).await;
    }
}
