// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a change of tables and views is decided on. Deciding takes a while: metadata is read, and perhaps many manifests. A grant
//! that is taken away or a restriction that takes effect meanwhile must not be too late, so the counters of the state in
//! which the decision is taken go along and are compared once more when the change is made.

use lakeward_authorization::{Privilege, Requirement};
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::Grounds;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;

/// What it takes to change a table.
const MODIFY_TABLE: Requirement = Requirement::On {
    kind: ObjectKind::Table,
    holding: &[Privilege::ModifyTable],
};

/// What it takes to change a view.
const CHANGE_VIEW: Requirement = Requirement::Owner(ObjectKind::View);

impl Operations {
    /// The counters of now, in whose state the caller may change the tables. Take them before anything is looked at that
    /// a change is decided on.
    ///
    /// # Errors
    /// What refuses the caller since the request was authorized; what the store reports.
    pub(crate) async fn grounds(&self, call: &Call, tables: &[&Found]) -> Result<Grounds, OperationError> {
        self.grounds_of(call, tables, &MODIFY_TABLE).await
    }

    /// The same, for a view.
    ///
    /// # Errors
    /// As [`Self::grounds`].
    pub(crate) async fn grounds_of_view(&self, call: &Call, view: &Found) -> Result<Grounds, OperationError> {
        self.grounds_of(call, &[view], &CHANGE_VIEW).await
    }

    async fn grounds_of(
        &self,
        call: &Call,
        objects: &[&Found],
        takes: &Requirement,
    ) -> Result<Grounds, OperationError> {
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.store().snapshot().await?;
        let now = snapshot.revision(metalake).await?;
        if call.facts.revision() != Some(now) {
            for object in objects {
                let chain = snapshot.chain(&object.metalake, &object.object).await?;
                self.decide_again(&mut snapshot, metalake, call, object, &chain, takes)
                    .await?;
            }
        }
        Ok(Grounds::of(metalake, &now))
    }
}

/// The answer when that is no longer so.
pub(crate) fn overtaken() -> OperationError {
    OperationError::Conflict(
        "privileges, tags or policies changed while this change was made, so nothing was changed; retry"
            .to_owned(),
    )
}
