// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views in the words of the native protocol: list, create, load, alter, with [`crate::iceberg_view`] for what both
//! protocols share. They are the same objects, with one owner and one set of grants.

use lakeward_authorization::{Authorized, Visibility};
use lakeward_catalog::view_catalog::{DescribedView, LoadedView, PlannedView, ViewCatalog, ViewPlace};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::view::{NewView, View, ViewChange};
use lakeward_store::{Area, ObjectRow};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;
use crate::load_governed_table::schema_of;
use crate::metadata_file::file_of;
use crate::namespace::ListPage;
use crate::paths::{SchemaPath, ViewPath};
use crate::providers::views_of;
use crate::schema::LOCATION;
use crate::table_placement::{Place, overlaps};

/// How often an alteration is tried against others that come first.
const ATTEMPTS: usize = 8;

impl Operations {
    /// The names of the views of a schema that the caller may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unsupported`] for a catalog without
    /// views.
    pub async fn list_views(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let schema = found.row()?;
        if self.is_federated(found) {
            let all = ListPage::default();
            return Ok(self
                .list_upstream(call, found, ObjectKind::View, shown, &all)
                .await?
                .names);
        }
        views_of(self.provider_in(&found.metalake, found)?.as_ref())?;
        self.visible_children(call, schema.object.id, ObjectKind::View, shown)
            .await
    }

    /// Creates a view. Its creator owns it.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`] for a name that a table or view has, [`OperationError::NotFound`],
    /// [`OperationError::Disabled`], [`OperationError::Invalid`], [`OperationError::Unsupported`].
    pub async fn create_view(
        &self,
        call: &Call,
        _: Authorized<SchemaPath>,
        new: NewView,
    ) -> Result<View, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let schema = &found.row()?.object;
        let place = Place {
            schema,
            name: new.name.as_str(),
        };
        self.require_free_name(ObjectKind::View, place).await?;
        let provider = self.provider_in(&found.metalake, found)?;
        let views = views_of(provider.as_ref())?;
        let described = DescribedView {
            body: new.body,
            properties: new.properties,
        };
        let planned = self.plan_new_view(views, found, place, &described).await?;
        let described = views.describe_view(&planned.view, self.store().schema_separator())?;
        let row = self.place_view(call, views, place, &planned).await?;
        Ok(view(&row, described))
    }

    /// Plans a new view where nothing else is: the default location gives way, a chosen one is refused.
    async fn plan_new_view(
        &self,
        views: &dyn ViewCatalog,
        schema: &Found,
        place: Place<'_>,
        described: &DescribedView,
    ) -> Result<PlannedView, OperationError> {
        let mut stand = self.place_in(schema, place.name);
        let separator = self.store().schema_separator();
        let at = ViewPlace {
            place: &stand,
            separator,
        };
        let planned = views.plan_create_view_native(at, described)?;
        let location = &planned.view.metadata.facts.location;
        if described.properties.contains_key(LOCATION) || !self.is_location_taken(location, None).await? {
            return Ok(planned);
        }
        stand.unused_location = true;
        let at = ViewPlace {
            place: &stand,
            separator,
        };
        Ok(views.plan_create_view_native(at, described)?)
    }

    /// Loads a view.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unreachable`].
    pub async fn load_view(&self, call: &Call, _: Authorized<ViewPath>) -> Result<View, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let described = self.describe_view(call, found).await?;
        Ok(view(&found.row()?.object, described))
    }

    async fn describe_view(&self, call: &Call, found: &Found) -> Result<DescribedView, OperationError> {
        let loaded = self.current_view(call, found).await?;
        self.described(found, &loaded)
    }

    fn described(&self, found: &Found, loaded: &LoadedView) -> Result<DescribedView, OperationError> {
        let provider = self.provider_in(&found.metalake, found)?;
        if let Some(upstream) = provider.upstream() {
            return Ok(upstream.describe_view(loaded, self.store().schema_separator())?);
        }
        let views = views_of(provider.as_ref())?;
        Ok(views.describe_view(loaded, self.store().schema_separator())?)
    }

    /// Alters a view, all changes or none. A rename stands alone, since it changes a row and not metadata; it never leaves
    /// the schema.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Invalid`],
    /// [`OperationError::AlreadyExists`] for a new name that is taken, [`OperationError::Conflict`] for a lost race.
    pub async fn alter_view(
        &self,
        call: &Call,
        _: Authorized<ViewPath>,
        changes: Vec<ViewChange>,
    ) -> Result<View, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        found.row()?;
        self.require_kept_here(found)?;
        if let [ViewChange::Rename(new_name)] = changes.as_slice() {
            return self.rename_view(call, found, new_name.as_str()).await;
        }
        if changes
            .iter()
            .any(|change| matches!(change, ViewChange::Rename(_)))
        {
            return Err(OperationError::invalid(
                "`rename` must be the only update: it moves the view, the others change it",
            ));
        }
        // They speak of names, not of a version that the caller saw, so a lost race is run again on what the winner left.
        for _ in 1..ATTEMPTS {
            match self.alter_view_once(call, found, &changes).await {
                Err(OperationError::Conflict(_) | OperationError::Overtaken) => {}
                outcome => return outcome,
            }
        }
        self.alter_view_once(call, found, &changes).await
    }

    async fn alter_view_once(
        &self,
        call: &Call,
        found: &Found,
        changes: &[ViewChange],
    ) -> Result<View, OperationError> {
        let row = &found.row()?.object;
        let provider = self.provider_in(&found.metalake, found)?;
        let views = views_of(provider.as_ref())?;
        let grounds = self.grounds(call).await?;
        let mut pointer = self.view_pointer(call, found).await?;
        let base = self.load_view_version(views, &mut pointer).await?;
        let stand = self.place_in(&schema_of(found)?, &row.name);
        let at = ViewPlace {
            place: &stand,
            separator: self.store().schema_separator(),
        };
        let Some(planned) = views
            .plan_alter_view_native(at, file_of(&pointer), changes)
            .await?
        else {
            let described = self.described(found, &base)?;
            return Ok(view(row, described));
        };
        self.refuse_overlap(&planned, row.id).await?;
        let described = self.described(found, &planned.view)?;
        let row = self.change_view(call, views, row, &planned, &grounds).await?;
        Ok(view(&row, described))
    }

    /// Refuses a change that moves a view onto the place of another table or view.
    pub(crate) async fn refuse_overlap(
        &self,
        planned: &PlannedView,
        view: ObjectId,
    ) -> Result<(), OperationError> {
        let location = &planned.view.metadata.facts.location;
        if planned.location_is_new && self.is_location_taken(location, Some(view)).await? {
            return Err(overlaps(location));
        }
        Ok(())
    }

    async fn rename_view(&self, call: &Call, found: &Found, new_name: &str) -> Result<View, OperationError> {
        // The answer is described before the effect: a view that cannot be read is not renamed.
        let described = self.describe_view(call, found).await?;
        let mut write = self.write(call, &[Area::Objects]).await?;
        let row = write.object(found.row()?.object.id).await?;
        let row = row.ok_or_else(|| found.missing())?.object;
        let moved = match write.rename_object(row.id, new_name).await {
            Err(error) if error.is_unique() => {
                return Err(OperationError::already_exists(ObjectKind::View, new_name));
            }
            other => other?,
        };
        write.commit().await?;
        Ok(view(&moved, described))
    }
}

fn view(row: &ObjectRow, described: DescribedView) -> View {
    View {
        name: row.name.clone(),
        body: described.body,
        properties: described.properties,
        audit: row.audit.clone(),
    }
}
