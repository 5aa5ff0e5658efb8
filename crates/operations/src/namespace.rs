// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Schemas as the Iceberg protocol sees them: namespaces with levels, pages, and properties that are changed by name.

use lakeward_authorization::{Authorized, Visibility};
use lakeward_metadata::Properties;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::schema::NewSchema;
use lakeward_store::{Area, ObjectChange, RequestOutcome};
use serde_json::json;

use crate::Operations;
use crate::caller::Call;
use crate::error::{Mistake, OperationError};
use crate::external_name::check_external_name;
use crate::idempotency::MAX_ANSWER_BYTES;
use crate::named::{Named, Names};
use crate::paths::SchemaPath;
use crate::providers::change_property;
use crate::schema::{SchemaParentPath, may_load, require_in_use_with_catalog};

/// Where namespaces are listed or created.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NamespaceParent(pub SchemaParentPath);

impl Names for NamespaceParent {
    fn named(&self) -> Named {
        self.0.named()
    }
}

/// Which part of a list is wanted. The order is that of the names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListPage {
    /// Only names after this one.
    pub after: Option<String>,
    /// At most this many; all when `None`.
    pub limit: Option<usize>,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// The names.
    pub names: Vec<String>,
    /// The last of them, when more follow that the caller may see.
    pub next: Option<String>,
}

/// What a change of namespace properties did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedProperties {
    /// Removed ones.
    pub removed: Vec<String>,
    /// Set ones.
    pub updated: Vec<String>,
    /// Those that were to be removed and were not there.
    pub missing: Vec<String>,
}

impl ChangedProperties {
    /// As a request that asked for them ends: with names that the request itself held.
    fn outcome(&self) -> RequestOutcome {
        let names = json!([self.removed, self.updated, self.missing]);
        RequestOutcome {
            answer: Some(names.to_string()),
            ..RequestOutcome::default()
        }
    }

    /// What an earlier attempt of a request did.
    ///
    /// # Errors
    /// [`OperationError::Internal`] for an outcome of another kind of request.
    pub fn of_outcome(outcome: &RequestOutcome) -> Result<Self, OperationError> {
        let names = outcome.answer.as_deref().unwrap_or_default();
        let (removed, updated, missing) = serde_json::from_str(names).map_err(OperationError::internal)?;
        Ok(Self {
            removed,
            updated,
            missing,
        })
    }
}

impl Operations {
    /// A page of the names of the namespaces directly below a catalog or namespace. Only the last level of each is
    /// given.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn list_namespaces(
        &self,
        call: &Call,
        parent: Authorized<NamespaceParent>,
        shown: &Visibility,
        page: &ListPage,
    ) -> Result<Listed, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        require_in_use_with_catalog(found)?;
        let row = found.row()?;
        let listed = if self.is_federated(found) {
            self.list_upstream(call, found, ObjectKind::Schema, shown, page)
                .await?
        } else {
            self.visible_page(call, row.object.id, ObjectKind::Schema, shown, page)
                .await?
        };
        // A parent that the caller may not see, and below which it sees nothing, looks like one that does not exist.
        let shows_parent = !listed.names.is_empty() || may_load(call);
        match &parent.0.parent {
            Some(_) if !shows_parent => Err(found.missing()),
            Some(_) | None => Ok(listed),
        }
    }

    /// A page of the names of the tables of a namespace.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`].
    pub async fn list_iceberg_tables(
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
                .list_upstream(call, found, ObjectKind::Table, shown, page)
                .await;
        }
        self.visible_page(call, row.object.id, ObjectKind::Table, shown, page)
            .await
    }

    /// Creates a namespace whose levels may have any name, and above it what is missing. Gives its properties as they
    /// will be shown.
    ///
    /// # Errors
    /// As [`Operations::create_schema`].
    pub async fn create_namespace(
        &self,
        call: &Call,
        parent: Authorized<NamespaceParent>,
        levels: &[String],
        properties: Properties,
    ) -> Result<Properties, OperationError> {
        let separator = self.store().schema_separator();
        for level in levels {
            check_external_name(ObjectKind::Schema, level)?;
            if !separator.is_empty() && level.contains(separator) {
                return Err(OperationError::mistake(
                    Mistake::Namespace,
                    format!(
                        "the level `{level}` of a namespace must not contain the schema separator `{separator}`"
                    ),
                ));
            }
        }
        let found = call.facts.found()?;
        let new = NewSchema {
            name: levels.join(separator),
            comment: None,
            properties,
        };
        let schema = self
            .create_schema_at(call, &parent.0, new, levels.to_vec())
            .await?;
        let mut shown = schema.properties;
        self.add_default_location(&parent.0.metalake, found, levels, &mut shown)?;
        Ok(shown)
    }

    /// Changes properties of a namespace by name.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Invalid`] for a property that cannot
    /// be changed.
    pub async fn update_namespace_properties(
        &self,
        call: &Call,
        path: Authorized<SchemaPath>,
        removals: &[String],
        updates: &Properties,
    ) -> Result<ChangedProperties, OperationError> {
        let found = call.facts.found()?;
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        found.require_in_use()?;
        self.require_kept_here(found)?;
        let id = found.row()?.object.id;
        let declared = self.factory_of(catalog)?.schema_properties();
        let mut write = self.write(call, &[Area::Objects]).await?;
        let row = write.object(id).await?.ok_or_else(|| found.missing())?.object;
        let mut properties = row.properties;
        let mut changed = ChangedProperties::default();
        for name in removals {
            if properties.contains_key(name) {
                change_property(&mut properties, &declared, name, None)?;
                changed.removed.push(name.clone());
            } else {
                changed.missing.push(name.clone());
            }
        }
        for (name, value) in updates {
            change_property(&mut properties, &declared, name, Some(value))?;
            changed.updated.push(name.clone());
        }
        self.check_schema_location((&path.metalake, &path.schema), found, &mut properties)?;
        let change = ObjectChange {
            properties: Some(properties),
            ..ObjectChange::default()
        };
        let outcome = changed.outcome();
        let bytes = outcome.answer.as_deref().map_or(0, str::len);
        if call.keyed.is_some() && bytes > MAX_ANSWER_BYTES {
            return Err(OperationError::invalid(format!(
                "the names of the properties in this request take {bytes} bytes, and with an `Idempotency-Key` they may take \
                 {MAX_ANSWER_BYTES}; send it in parts, or without the key"
            )));
        }
        write.alter_object(id, &change).await?;
        self.end_with(call, &mut write, outcome).await?;
        write.commit().await?;
        Ok(changed)
    }
}
