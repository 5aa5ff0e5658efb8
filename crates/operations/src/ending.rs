// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Ending what a request names: the one place where it is made sure that what ends is what was authorized. Between the
//! gate and the write another caller may have renamed or moved the object, or what it lies in. Then the name of the
//! request names nothing, or something else, and nothing ends.

use lakeward_store::{Area, ChainRow, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;
use crate::fileset_placement::RemovedFiles;
use crate::step::Step;

/// The areas that the end of an object changes.
pub(crate) const ENDING: &[Area] = &[Area::Objects, Area::Grants, Area::Governance];

impl Operations {
    /// Opens the write that is to end an object as the gate found it; `None` where it is no longer, or no longer called so.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn write_to_end(
        &self,
        call: &Call,
        found: &Found,
        areas: &[Area],
    ) -> Result<Option<Write>, OperationError> {
        let metalake = call.facts.metalake_id()?;
        let open = async { Ok(self.store().write(metalake, areas, call.user()).await?) };
        let mut write = self.pass(Step::Swap, &call.caller, open).await?;
        Ok(is_still_so(&mut write, found).await?.then_some(write))
    }

    /// As [`Self::write_to_end`], where files of `removed` went already: the names were made sure of by the write that marked
    /// those filesets, so what was begun is finished under whatever name the object has now.
    ///
    /// # Errors
    /// What the store reports.
    pub(crate) async fn write_to_finish(
        &self,
        call: &Call,
        found: &Found,
        areas: &[Area],
        removed: &RemovedFiles,
    ) -> Result<Option<Write>, OperationError> {
        if removed.is_empty() {
            return self.write_to_end(call, found, areas).await;
        }
        let metalake = call.facts.metalake_id()?;
        let open = async { Ok(self.store().write(metalake, areas, call.user()).await?) };
        let mut write = self.pass(Step::Swap, &call.caller, open).await?;
        let lives = write.object(found.row()?.object.id).await?.is_some();
        Ok(lives.then_some(write))
    }
}

/// Whether an object that exists is still called as the gate found it, with all that it lies in.
pub(crate) async fn is_still_so(write: &mut Write, found: &Found) -> Result<bool, OperationError> {
    let Some(row) = found.chain.object() else {
        return Ok(false);
    };
    let now = write.ancestors(row.object.id).await?;
    let place = |row: &ChainRow| (row.object.id, row.object.name.clone());
    Ok(now.iter().map(place).eq(found.chain.rows.iter().map(place)))
}
