// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The effects of planned views, for both protocols, as [`crate::table_placement`] has them for tables: a new view gets
//! its file, row, pointer, location and owner, a change gets its file and the pointer; all of it or nothing.

use lakeward_catalog::view_catalog::{PlannedView, ViewCatalog};
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, Grounds, NewObject, ObjectChange, ObjectRow, PointerSwap, Write};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::step::Step;
use crate::table_placement::{Place, claim, lost, overlaps, unknown};

impl Operations {
    /// Makes a planned view. The caller owns it.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] for the name; [`OperationError::Invalid`] when its location overlaps another;
    /// [`OperationError::NotFound`] when the schema is gone; what the provider reports of the file. Nothing is left
    /// behind then. [`OperationError::UnknownOutcome`] when the store broke off during the commit.
    pub(crate) async fn place_view(
        &self,
        call: &Call,
        views: &dyn ViewCatalog,
        place: Place<'_>,
        planned: &PlannedView,
    ) -> Result<ObjectRow, OperationError> {
        let location = planned.view.metadata.facts.location.as_str();
        let is_taken = self.is_location_taken(location, None).await?;
        // The name after the location: a view of this name made a moment ago has both, and it is the name that clashes.
        self.require_free_name(ObjectKind::View, place).await?;
        if is_taken {
            return Err(overlaps(location));
        }
        self.write_view_file(call, views, planned).await?;
        let prepared = self.prepare_view(call, place, planned).await;
        let (write, row) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                views.discard_view(planned).await;
                return Err(error);
            }
        };
        write.commit().await.map_err(unknown)?;
        Ok(row)
    }

    async fn prepare_view(
        &self,
        call: &Call,
        place: Place<'_>,
        planned: &PlannedView,
    ) -> Result<(Write, ObjectRow), OperationError> {
        let metadata = &planned.view.metadata;
        let facts = &metadata.facts;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let new = NewObject::named(place.schema.id, ObjectKind::View, place.name);
        let row = match write.create_object(&new).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::View, place.name));
            }
            Err(error) if error.is_missing() => {
                return Err(OperationError::not_found(ObjectKind::Schema, &place.schema.name));
            }
            other => other?,
        };
        write
            .set_table_pointer(
                row.id,
                &planned.view.metadata_location,
                &facts.uuid,
                &metadata.digest,
            )
            .await?;
        claim(&mut write, row.id, &facts.location).await?;
        self.make_creator_own(&mut write, row.id, call).await?;
        self.end_with_object(call, &mut write, row.id).await?;
        Ok((write, row))
    }

    async fn write_view_file(
        &self,
        call: &Call,
        views: &dyn ViewCatalog,
        planned: &PlannedView,
    ) -> Result<(), OperationError> {
        self.pass(Step::File, &call.caller, async {
            Ok(views.write_view(planned).await?)
        })
        .await
    }

    /// Makes a planned change of a view and notes who made it.
    ///
    /// # Errors
    /// [`OperationError::Conflict`] when somebody else's change came first or the `grounds` of the decision changed,
    /// [`OperationError::Invalid`] when a new location overlaps another; nothing is left behind then.
    /// [`OperationError::UnknownOutcome`] when the store broke off and cannot say.
    pub(crate) async fn change_view(
        &self,
        call: &Call,
        views: &dyn ViewCatalog,
        view: &ObjectRow,
        planned: &PlannedView,
        grounds: &Grounds,
    ) -> Result<ObjectRow, OperationError> {
        self.write_view_file(call, views, planned).await?;
        let swapped = self
            .pass(
                Step::Swap,
                &call.caller,
                self.swap_view(call, view, planned, grounds),
            )
            .await;
        match swapped {
            Ok(row) => Ok(row),
            Err(error @ OperationError::UnknownOutcome { .. }) => Err(error),
            Err(error) => {
                views.discard_view(planned).await;
                Err(error)
            }
        }
    }

    async fn swap_view(
        &self,
        call: &Call,
        view: &ObjectRow,
        planned: &PlannedView,
        grounds: &Grounds,
    ) -> Result<ObjectRow, OperationError> {
        let swap = PointerSwap {
            table_id: view.id,
            expected: planned.base.clone().unwrap_or_default(),
            new: planned.view.metadata_location.clone(),
            new_digest: planned.view.metadata.digest.clone(),
        };
        let mut write = self.write_on(call, &[Area::Objects]).await?;
        match write.swap_table_pointer(&swap).await {
            Ok(Some(_)) => {}
            Ok(None) => return Err(lost(&view.name)),
            Err(error) if error.is_missing() => return Err(lost(&view.name)),
            Err(error) => return Err(error.into()),
        }
        if planned.location_is_new {
            claim(&mut write, view.id, &planned.view.metadata.facts.location).await?;
        }
        let row = write.alter_object(view.id, &ObjectChange::default()).await?;
        self.end_with_object(call, &mut write, view.id).await?;
        self.require_still_decided(&mut write, call, grounds).await?;
        match write.commit().await {
            Ok(()) => Ok(row),
            // Made all the same, or unknown.
            Err(error) => self.find_out(&swap, error).await.map(|_| row),
        }
    }
}
