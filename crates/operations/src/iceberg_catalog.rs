// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which catalog a client of the Iceberg protocol means: a prefix or warehouse is the name of a catalog, or
//! `metalake.catalog` where the server serves several metalakes.

use std::sync::Arc;

use lakeward_authorization::{Requirement, authorize};
use lakeward_metadata::catalog::CatalogType;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Child, Page, ROOT};

use crate::Operations;
use crate::caller::{Call, Caller, Demand};
use crate::children::{Children, same_objects};
use crate::error::OperationError;
use crate::metalake::is_in_use;
use crate::named::Names;
use crate::notes::Notes;
use crate::paths::{CatalogPath, MetalakePath};
use crate::providers::CATALOG_TYPE;
use crate::upstream::Met;

/// The property of a catalog that says how clients get to its files.
const DATA_ACCESS: &str = "data-access";

impl Operations {
    /// The names behind a prefix or warehouse; without one, the configured default. Whether the catalog exists is not
    /// asked: that is for who may know.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] when the names cannot mean a catalog of this server.
    pub async fn iceberg_catalog(&self, prefix: Option<&str>) -> Result<CatalogPath, OperationError> {
        let configured = self.settings().iceberg_metalake.as_deref();
        let name = match (prefix, self.settings().iceberg_default_catalog.as_deref()) {
            (Some(prefix), _) => prefix,
            (None, Some(default)) => default,
            (None, None) => {
                return Err(OperationError::not_found(
                    ObjectKind::Catalog,
                    "(none named: use a prefix or the property `warehouse`)",
                ));
            }
        };
        let unknown = || OperationError::not_found(ObjectKind::Catalog, name);
        // Neither metalakes nor catalogs have a dot in their names.
        if let Some((metalake, catalog)) = name.split_once('.') {
            if configured.is_some_and(|configured| configured != metalake) {
                return Err(unknown());
            }
            return Ok(path(metalake, catalog));
        }
        match configured {
            Some(metalake) => Ok(path(metalake, name)),
            None => {
                let metalake = self.only_metalake().await?;
                metalake.map(|metalake| path(&metalake, name)).ok_or_else(unknown)
            }
        }
    }

    /// As [`Operations::iceberg_catalog`], for a client that asks for its configuration. Who may load the catalog
    /// learns whether it exists, and which way to the files its owner wants clients to ask for, if one is said; to
    /// everybody else an existing and a missing one look the same.
    ///
    /// # Errors
    /// [`OperationError::NotFound`].
    pub async fn iceberg_configuration(
        &self,
        caller: &Caller,
        warehouse: &str,
    ) -> Result<Option<String>, OperationError> {
        let catalog = self.iceberg_catalog(Some(warehouse)).await?;
        let facts = self.open_gate(&mut caller.clone(), &catalog.named()).await?;
        let may_load = authorize(
            Requirement::load(ObjectKind::Catalog),
            (),
            facts.target(),
            facts.grants(),
        );
        if may_load.is_err() {
            return Ok(None);
        }
        let row = facts
            .row()
            .map_err(|_| OperationError::not_found(ObjectKind::Catalog, warehouse))?;
        Ok(row.object.properties.get(DATA_ACCESS).cloned())
    }

    /// What a client may name as its warehouse: the catalogs with tables that the caller may see, by the list rules of
    /// catalogs, in the order of names. Where no metalake is configured and there are several, they are
    /// `metalake.catalog`. What is switched off is left out, since nothing in it can be read.
    ///
    /// # Errors
    /// [`OperationError::Unavailable`] or [`OperationError::Internal`] from the store.
    pub async fn iceberg_warehouses(&self, caller: &Caller) -> Result<Vec<String>, OperationError> {
        let (metalakes, qualified) = match self.settings().iceberg_metalake.clone() {
            Some(metalake) => (vec![metalake], false),
            None => {
                let mut snapshot = self.store().snapshot().await?;
                let metalakes = snapshot.children(ROOT, ObjectKind::Metalake, &Page::ALL).await?;
                let several = metalakes.len() > 1;
                (
                    metalakes.into_iter().map(|metalake| metalake.name).collect(),
                    several,
                )
            }
        };
        let mut warehouses = Vec::new();
        for metalake in metalakes {
            // What the caller's token is not for is to it as to who is no member.
            if caller.require_metalake(&metalake).is_err() {
                continue;
            }
            for catalog in self.visible_table_catalogs(caller, &metalake).await? {
                warehouses.push(if qualified {
                    format!("{metalake}.{catalog}")
                } else {
                    catalog
                });
            }
        }
        Ok(warehouses)
    }

    /// The names of the catalogs of one metalake that hold tables, are in use, and may be seen by the caller.
    async fn visible_table_catalogs(
        &self,
        caller: &Caller,
        metalake: &str,
    ) -> Result<Vec<String>, OperationError> {
        let path = MetalakePath {
            metalake: metalake.to_owned(),
        };
        let mut call = Call {
            facts: self.open_gate(&mut caller.clone(), &path.named()).await?,
            caller: caller.clone(),
            demand: Demand::new(Requirement::Member, path.named(), "getConfig"),
            notes: Notes::default(),
            met: Met::default(),
            keyed: None,
        };
        match self.shown_table_catalogs(&call).await {
            Err(OperationError::Moved) => {
                call.facts = self
                    .open_gate_on_one_state(&mut call.caller, &path.named())
                    .await?;
                self.shown_table_catalogs(&call).await
            }
            shown => shown,
        }
    }

    async fn shown_table_catalogs(&self, call: &Call) -> Result<Vec<String>, OperationError> {
        // To who is no member, a metalake that exists and one that does not have the same catalogs: none.
        let member = authorize(&Requirement::Member, (), call.facts.target(), call.facts.grants());
        if member.is_err() || call.facts.require_metalake_in_use().is_err() {
            return Ok(Vec::new());
        }
        let shown = self
            .visibility(call, Requirement::load(ObjectKind::Catalog))
            .await?;
        let catalogs = self.table_catalogs(call).await?;
        Ok(catalogs
            .shown(&shown, 0)
            .map(|catalog| catalog.name.clone())
            .collect())
    }

    /// The catalogs of a metalake that hold tables and are in use, whoever may see them, by name. Everything that it
    /// depends on counts in the area objects.
    async fn table_catalogs(&self, call: &Call) -> Result<Arc<Children>, OperationError> {
        let cache = &self.caches().table_catalogs;
        let metalake = call.facts.metalake_id()?;
        if let Some(revision) = call.facts.revision()
            && let Some(catalogs) = cache.get(&(metalake, revision.objects))
        {
            return Ok(catalogs);
        }
        let mut snapshot = self.read_newest(&call.facts).await?;
        // The counter of the state that is read.
        let revision = snapshot.revision(metalake).await?;
        let rows = snapshot
            .children_in_full(metalake, ObjectKind::Catalog, &Page::ALL)
            .await?;
        let catalogs = rows
            .into_iter()
            .filter(|row| is_in_use(&row.object.properties))
            .filter(|row| {
                let holds = row.object.detail.get(CATALOG_TYPE).and_then(|kind| kind.as_str());
                holds == Some(CatalogType::Relational.as_str())
            })
            .map(|row| Child {
                id: row.object.id,
                name: row.object.name,
                owner: row.owner,
            })
            .collect();
        let catalogs = Arc::new(Children::new(catalogs));
        cache.insert((metalake, revision.objects), Arc::clone(&catalogs));
        same_objects(call, revision)?;
        Ok(catalogs)
    }

    /// The metalake that needs no name because there is no other.
    async fn only_metalake(&self) -> Result<Option<String>, OperationError> {
        let revision = self.store().server_revision().await?;
        if let Some(cached) = self.caches().only_metalake.get(&revision) {
            return Ok(cached);
        }
        let two = Page {
            after: None,
            limit: Some(2),
        };
        let mut snapshot = self.store().snapshot().await?;
        let metalakes = snapshot.children(ROOT, ObjectKind::Metalake, &two).await?;
        let only = match metalakes.as_slice() {
            [only] => Some(only.name.clone()),
            _ => None,
        };
        // The counter of the state that was read, not of a moment before.
        let revision = snapshot.server_revision().await?;
        self.caches().only_metalake.insert(revision, only.clone());
        Ok(only)
    }
}

fn path(metalake: &str, catalog: &str) -> CatalogPath {
    CatalogPath {
        metalake: metalake.to_owned(),
        catalog: catalog.to_owned(),
    }
}
