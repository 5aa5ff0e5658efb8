// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables in the words of the native protocol: list, create, load, drop. What is answered is the schema alone; rows are
//! read through the Iceberg protocol, where read restrictions are handed to the reader.

use lakeward_authorization::requirement::Circumstance;
use lakeward_authorization::{Authorized, Visibility};
use lakeward_catalog::table_catalog::{PlannedTable, TableCatalog, TablePlace};
use lakeward_catalog::upstream_catalog::UpstreamCatalog;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::table::{NewTable, Table, TableDefinition};
use lakeward_store::ObjectRow;

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::facts::Found;
use crate::named::{Named, Names};
use crate::namespace::ListPage;
use crate::paths::{SchemaPath, TablePath};
use crate::providers::tables_of;
use crate::schema::LOCATION;
use crate::table_placement::{Place, location_of};
use crate::widening::Force;

mod alter;

pub use alter::AlteredTable;

/// A table that is loaded, and whether the request asks for the right to modify it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LoadedTablePath {
    /// The table.
    pub path: TablePath,
    /// Whether the caller must be allowed to modify it, not only to read it.
    pub asks_to_modify: bool,
}

impl Names for LoadedTablePath {
    fn named(&self) -> Named {
        self.path
            .named()
            .saying(Circumstance::AsksToModify, self.asks_to_modify)
    }
}

impl Operations {
    /// The names of the tables of a schema that the caller may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn list_tables(
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
                .list_upstream(call, found, ObjectKind::Table, shown, &all)
                .await?
                .names);
        }
        tables_of(self.provider_in(&found.metalake, found)?.as_ref())?;
        self.visible_children(call, schema.object.id, ObjectKind::Table, shown)
            .await
    }

    /// Creates a table. Its creator owns it.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`], [`OperationError::NotFound`], [`OperationError::Disabled`];
    /// [`OperationError::Invalid`] and [`OperationError::Unsupported`] for what the format does not have.
    pub async fn create_table(
        &self,
        call: &Call,
        schema: Authorized<SchemaPath>,
        new: NewTable,
    ) -> Result<Table, OperationError> {
        let found = call.facts.found()?;
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        call.facts.require_in_use()?;
        let row = &found.row()?.object;
        let place = Place {
            schema: row,
            name: new.name.as_str(),
        };
        self.require_free_table_name(place).await?;
        self.factory_of(catalog)?
            .table_properties()
            .check_new(&new.definition.properties)?;
        let provider = self.provider_in(&schema.metalake, found)?;
        let tables = tables_of(provider.as_ref())?;
        let planned = self.plan_new(tables, &schema, row, &new).await?;
        let mut definition = planned.table.map_ref(|table| tables.describe(table))?;
        let fields = planned
            .table
            .map_ref(|table| table.metadata.facts().fields.clone());
        if self.is_restricted(call, found, &fields).await? {
            hide_storage(&mut definition);
        }
        let row = self.place_table(call, tables, place, &planned).await?;
        Ok(table(&row, definition))
    }

    /// Plans a new table where no other is: the default location gives way, a chosen one is refused later.
    async fn plan_new(
        &self,
        tables: &dyn TableCatalog,
        path: &SchemaPath,
        schema: &ObjectRow,
        new: &NewTable,
    ) -> Result<PlannedTable, OperationError> {
        let mut place = self.table_place(path, schema, new.name.as_str());
        let planned = tables.plan_create_native(&place, &new.definition)?;
        let is_chosen = new.definition.properties.contains_key(LOCATION);
        if is_chosen || !self.is_location_taken(&location_of(&planned), None).await? {
            return Ok(planned);
        }
        place.unused_location = true;
        Ok(tables.plan_create_native(&place, &new.definition)?)
    }

    /// What a provider is told about where a table stands.
    pub(crate) fn table_place(&self, path: &SchemaPath, schema: &ObjectRow, name: &str) -> TablePlace {
        TablePlace {
            namespace: self.levels(&path.schema),
            name: name.to_owned(),
            namespace_location: schema.properties.get(LOCATION).cloned(),
            unused_location: false,
        }
    }

    /// Loads a table. Who sees it only in part learns neither where its files are nor of which snapshot.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unreachable`].
    pub async fn load_table(
        &self,
        call: &Call,
        loaded: Authorized<LoadedTablePath>,
    ) -> Result<Table, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        self.describe_table(call, &loaded.path.metalake, found).await
    }

    /// The table that the request names, as the caller may see it.
    pub(crate) async fn describe_table(
        &self,
        call: &Call,
        metalake: &str,
        found: &Found,
    ) -> Result<Table, OperationError> {
        let row = &found.row()?.object;
        let provider = self.provider_in(metalake, found)?;
        if let Some(upstream) = provider.upstream() {
            return self.describe_upstream_table(call, found, upstream).await;
        }
        let tables = tables_of(provider.as_ref())?;
        let pointer = self.store().table_pointer(row.id).await?;
        let mut pointer = pointer.ok_or_else(|| found.missing())?;
        let loaded = self.load_version(tables, &mut pointer).await?;
        let mut definition = loaded.map_ref(|table| tables.describe(table))?;
        let fields = loaded.map_ref(|table| table.metadata.facts().fields.clone());
        if self.is_restricted(call, found, &fields).await? {
            hide_storage(&mut definition);
        }
        Ok(table(row, definition))
    }

    async fn describe_upstream_table(
        &self,
        call: &Call,
        found: &Found,
        upstream: &dyn UpstreamCatalog,
    ) -> Result<Table, OperationError> {
        let current = self.current_table(call, found).await?;
        let mut definition = current.table.map_ref(|table| upstream.describe(table))?;
        let is_restricted = match self.restrictions_of_version(call, found, &current).await {
            Ok(restrictions) => restrictions.is_active(),
            Err(OperationError::Restriction { .. }) => true,
            Err(other) => return Err(other),
        };
        if is_restricted {
            hide_storage(&mut definition);
        }
        Ok(table(&current.row, definition))
    }

    /// Whether the caller sees the table only in part. Restrictions that cannot be resolved count as such.
    pub(crate) async fn is_restricted(
        &self,
        call: &Call,
        found: &Found,
        fields: &[lakeward_read_restrictions::field::Field],
    ) -> Result<bool, OperationError> {
        match self.restrictions_of(call, found, fields).await {
            Ok(resolution) => Ok(resolution.restrictions.is_active()),
            Err(OperationError::Restriction { .. }) => Ok(true),
            Err(other) => Err(other),
        }
    }

    /// Refuses a call on the partitions of a table: no provider that is here has partition objects.
    ///
    /// # Errors
    /// Always: [`OperationError::NotFound`] and [`OperationError::Disabled`] first, then
    /// [`OperationError::Restriction`] for a caller who sees the table only in part, then
    /// [`OperationError::Unsupported`].
    pub async fn refuse_partitions(
        &self,
        call: &Call,
        _: Authorized<TablePath>,
    ) -> Result<std::convert::Infallible, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        self.refuse_hidden_facts(call, found, "partitions").await?;
        Err(OperationError::Unsupported(
            "tables of this catalog have no partition objects; their partitions follow from the rows"
                .to_owned(),
        ))
    }

    /// Drops a table; with `purge` also its files. `false` where there is none.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] and [`OperationError::Disabled`] for what it lies in;
    /// [`OperationError::Forbidden`] for a caller who sees only a part of it; [`OperationError::WouldWiden`] without
    /// `force` when the files of a restricted table would stay.
    pub async fn drop_table(
        &self,
        call: &Call,
        path: Authorized<TablePath>,
        purge: bool,
        force: Force,
    ) -> Result<bool, OperationError> {
        self.drop_iceberg_table(call, path, purge, force).await
    }
}

/// A row and a definition make a table.
pub(crate) fn table(row: &ObjectRow, definition: TableDefinition) -> Table {
    Table {
        name: row.name.clone(),
        definition,
        audit: row.audit.clone(),
    }
}

/// Takes out where files are and of which snapshot.
fn hide_storage(definition: &mut TableDefinition) {
    /// Properties that say so, in the provider's and in the format's words.
    const TELLING: [&str; 3] = [LOCATION, "current-snapshot-id", "cherry-pick-snapshot-id"];
    definition
        .properties
        .retain(|name, _| !TELLING.contains(&name.as_str()) && !name.ends_with(".path"));
}
