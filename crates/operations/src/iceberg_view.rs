// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views as clients of the Iceberg protocol act on them: list, create, register, load, replace, rename, drop.
//!
//! A view is text. Its metadata says nothing of the tables that its queries name, so no restriction of a table concerns
//! it: whoever runs the query loads each table under their own name, restrictions included.

use lakeward_authorization::requirement::Circumstance;
use lakeward_authorization::{Authorized, Visibility};
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::table_catalog::IcebergCommit;
use lakeward_catalog::view_catalog::{IcebergViewCreation, LoadedView};
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Area, RequestOutcome, TablePointer};

use crate::Operations;
use crate::caller::Call;
use crate::ending::ENDING;
use crate::error::{Mistake, OperationError};
use crate::external_name::check_external_name;
use crate::facts::Found;
use crate::metadata_file::file_of;
use crate::named::{Named, NamedWhat, Names};
use crate::namespace::{ListPage, Listed};
use crate::paths::{SchemaPath, ViewPath};
use crate::providers::views_of;
use crate::step::Step;
use crate::table_placement::{Place, overlaps};
use crate::widening::Force;

/// A view that moves to another name, and another namespace of its catalog where that differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ViewMove {
    /// The view.
    pub source: ViewPath,
    /// The namespace it moves to.
    pub destination: SchemaPath,
}

impl Names for ViewMove {
    fn named(&self) -> Named {
        let what = NamedWhat::Move {
            source: self.source.object(),
            destination: self.destination.object(),
        };
        Named::of(&self.source.metalake, what).saying(
            Circumstance::LeavesItsSchema,
            self.source.schema() != self.destination,
        )
    }
}

impl Operations {
    /// A page of the names of the views of a namespace.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn list_iceberg_views(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        shown: &Visibility,
        page: &ListPage,
    ) -> Result<Listed, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        found.require_in_use()?;
        let row = found.row()?;
        if self.is_federated(found) {
            return self
                .list_upstream(call, found, ObjectKind::View, shown, page)
                .await;
        }
        self.visible_page(call, row.object.id, ObjectKind::View, shown, page)
            .await
    }

    /// Creates a view. The caller owns it.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the namespace, [`OperationError::AlreadyExists`] for a name that a table or view
    /// has, [`OperationError::Invalid`].
    pub async fn create_iceberg_view(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        name: &str,
        creation: &IcebergViewCreation,
    ) -> Result<LoadedView, OperationError> {
        let schema = call.facts.found()?;
        schema.row()?;
        schema.require_in_use()?;
        let provider = self.provider_in(&schema.metalake, schema)?;
        let views = views_of(provider.as_ref())?;
        check_external_name(ObjectKind::View, name)?;
        let place = Place {
            schema: &schema.row()?.object,
            name,
        };
        self.require_free_name(ObjectKind::View, place).await?;
        let mut stand = self.place_in(schema, name);
        let mut planned = views
            .plan_create_view(&stand, creation)
            .map_err(wrong_definition)?;
        let location = &planned.view.metadata.facts.location;
        if self.is_location_taken(location, None).await? {
            if creation.location.is_some() {
                self.require_free_name(ObjectKind::View, place).await?;
                return Err(overlaps(location));
            }
            stand.unused_location = true;
            planned = views
                .plan_create_view(&stand, creation)
                .map_err(wrong_definition)?;
        }
        let mut placed = self.place_view(call, views, place, &planned).await;
        // As for tables: what was made and moved away meanwhile lies where this one was to lie.
        if matches!(placed, Err(OperationError::Invalid { .. })) && creation.location.is_none() {
            stand.unused_location = true;
            planned = views
                .plan_create_view(&stand, creation)
                .map_err(wrong_definition)?;
            placed = self.place_view(call, views, place, &planned).await;
        }
        placed?;
        Ok(planned.view)
    }

    /// Registers an existing metadata file as a view of the caller.
    ///
    /// # Errors
    /// As [`Operations::create_iceberg_view`]; [`OperationError::WouldWiden`] and [`OperationError::Forbidden`] where a
    /// restricted table was dropped.
    pub async fn register_iceberg_view(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        name: &str,
        metadata_location: &str,
        force: Force,
    ) -> Result<LoadedView, OperationError> {
        let schema = call.facts.found()?;
        schema.row()?;
        schema.require_in_use()?;
        let provider = self.provider_in(&schema.metalake, schema)?;
        let views = views_of(provider.as_ref())?;
        check_external_name(ObjectKind::View, name)?;
        let place = Place {
            schema: &schema.row()?.object,
            name,
        };
        self.require_free_name(ObjectKind::View, place).await?;
        let planned = views.plan_register_view(metadata_location).await?;
        self.reclaim_location(call, &planned.view.metadata.facts.location, force)
            .await?;
        self.place_view(call, views, place, &planned).await?;
        Ok(planned.view)
    }

    /// Loads a view.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unreachable`].
    pub async fn load_iceberg_view(
        &self,
        call: &Call,
        _: &Authorized<ViewPath>,
    ) -> Result<LoadedView, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        found.require_in_use()?;
        self.current_view(call, found).await
    }

    /// The version of a view that its pointer names.
    pub(crate) async fn current_view(
        &self,
        call: &Call,
        found: &Found,
    ) -> Result<LoadedView, OperationError> {
        let provider = self.provider_in(&found.metalake, found)?;
        if provider.upstream().is_some() {
            return Self::current_upstream_view(call, found);
        }
        let views = views_of(provider.as_ref())?;
        let mut pointer = self.view_pointer(call, found).await?;
        self.pass(Step::Metadata, &call.caller, async {
            self.load_view_version(views, &mut pointer).await
        })
        .await
    }

    /// The pointer of a view.
    pub(crate) async fn view_pointer(
        &self,
        call: &Call,
        found: &Found,
    ) -> Result<TablePointer, OperationError> {
        let view = found.row()?.object.id;
        self.pass(Step::Pointer, &call.caller, async {
            let pointer = self.store().table_pointer(view).await?;
            pointer.ok_or_else(|| found.missing())
        })
        .await
    }

    /// Whether the view exists, for a caller who may know.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub fn require_iceberg_view(&self, call: &Call, _: &Authorized<ViewPath>) -> Result<(), OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        found.require_in_use()?;
        found.row().map(drop)
    }

    /// Commits to a view.
    ///
    /// # Errors
    /// [`OperationError::Conflict`] when a requirement fails, another commit was faster, or privileges changed meanwhile;
    /// [`OperationError::Invalid`]; [`OperationError::NotFound`]; [`OperationError::Unsupported`].
    pub async fn replace_iceberg_view(
        &self,
        call: &Call,
        _: Authorized<ViewPath>,
        commit: &IcebergCommit,
    ) -> Result<LoadedView, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        found.require_in_use()?;
        let row = &found.row()?.object;
        let provider = self.provider_in(&found.metalake, found)?;
        let views = views_of(provider.as_ref())?;
        let grounds = self.grounds(call).await?;
        let mut pointer = self.view_pointer(call, found).await?;
        let (base, planned) = self
            .pass(Step::Metadata, &call.caller, async {
                let base = self.load_view_version(views, &mut pointer).await?;
                let planned = views.plan_replace_view(file_of(&pointer), commit).await;
                Ok((base, planned.map_err(wrong_definition)?))
            })
            .await?;
        let Some(planned) = planned else {
            self.end_without_effect(call, row.id).await?;
            return Ok(base);
        };
        self.refuse_overlap(&planned, row.id).await?;
        self.change_view(call, views, row, &planned, &grounds).await?;
        Ok(planned.view)
    }

    /// Renames a view, also into another namespace of the same catalog. Its owner, the privileges on it and its own tags
    /// stay with it.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for view and namespace, [`OperationError::AlreadyExists`].
    pub async fn rename_iceberg_view<T: Names>(
        &self,
        call: &Call,
        _: &Authorized<T>,
        new_name: &str,
    ) -> Result<(), OperationError> {
        let found = call.facts.found()?;
        let row = found.row()?;
        found.require_in_use()?;
        self.require_kept_here(found)?;
        let destination = call
            .facts
            .destination()
            .ok_or_else(|| OperationError::internal("a rename names no destination"))?;
        let parent = destination.row()?.object.id;
        check_external_name(ObjectKind::View, new_name)?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        self.require_free_destination(&mut write, found, (destination, parent), new_name)
            .await?;
        if row.object.parent_id != parent {
            self.refuse_protected(&mut write, found).await?;
        }
        match write.move_object(row.object.id, parent, new_name).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::View, new_name));
            }
            Err(error) if error.is_missing() => return Err(found.missing()),
            other => other?,
        };
        self.end_with_object(call, &mut write, row.object.id).await?;
        Ok(write.commit().await?)
    }

    /// Drops a view; `false` where there is none. Its metadata files stay, as those of a table that is not purged, so that
    /// it can be registered again.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] and [`OperationError::Disabled`] for what it lies in.
    pub async fn drop_view(&self, call: &Call, _: Authorized<ViewPath>) -> Result<bool, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        found.require_in_use()?;
        self.require_kept_here(found)?;
        let Ok(row) = found.row() else {
            return Ok(false);
        };
        let Some(mut write) = self.write_to_end(call, ENDING).await? else {
            return Ok(false);
        };
        write.drop_object(row.object.id).await?;
        self.end_with(call, &mut write, RequestOutcome::default()).await?;
        write.commit().await?;
        Ok(true)
    }
}

/// What the provider finds wrong with a view that is asked for.
fn wrong_definition(error: CatalogError) -> OperationError {
    match error {
        CatalogError::Invalid(message) => OperationError::mistake(Mistake::Definition, message),
        other @ (CatalogError::Unsupported(_)
        | CatalogError::LocationRefused(_)
        | CatalogError::RequirementFailed(_)
        | CatalogError::MetadataMissing(_)
        | CatalogError::MetadataInvalid { .. }
        | CatalogError::MetadataChanged(_)
        | CatalogError::FileExists(_)
        | CatalogError::Unavailable(_)) => other.into(),
    }
}
