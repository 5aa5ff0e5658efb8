// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What the gate found out about a request: plain values of one state of the store.

use std::sync::Arc;

use lakeward_authorization::target::Shape;
use lakeward_authorization::{Grants, Target};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_store::{ChainRow, ObjectChain, Revision, Snapshot};
use tokio::sync::Mutex;

use crate::error::{Noun, OperationError};
use crate::named::{Named, NamedWhat};

/// An object as the request named it, with what exists of it.
#[derive(Debug, Clone)]
pub struct Found {
    /// As named.
    pub object: MetadataObject,
    /// The metalake it was named in.
    pub metalake: String,
    /// What exists, the metalake first.
    pub chain: Arc<ObjectChain>,
    pub(crate) schema_levels: usize,
}

/// The facts of a request.
#[derive(Debug, Clone)]
pub struct Facts {
    pub(crate) metalake: Option<(ObjectId, Revision)>,
    pub(crate) metalake_name: Option<String>,
    pub(crate) grants: Arc<Grants>,
    pub(crate) target: Target,
    pub(crate) object: Option<Found>,
    pub(crate) instruments: Vec<Found>,
    pub(crate) destination: Option<Found>,
    pub(crate) several: Vec<Found>,
    /// The snapshot that all of this was read from, where it stays open for what is read beside it.
    pub(crate) open: Option<Arc<Mutex<Snapshot>>>,
}

impl Found {
    /// The object itself with its owner.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the topmost level that does not exist, as the original reports it.
    pub fn row(&self) -> Result<&ChainRow, OperationError> {
        self.chain.object().ok_or_else(|| self.missing())
    }

    /// The object itself, where it is one that the server keeps itself: without its schema it is the object that does not
    /// exist, as the original says of models and functions.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the metalake, the catalog or the object.
    pub(crate) fn kept_row(&self) -> Result<&ChainRow, OperationError> {
        self.of_kind(ObjectKind::Catalog)?;
        let name = self.object.path.last().cloned().unwrap_or_default();
        self.chain
            .object()
            .ok_or_else(|| OperationError::not_found(self.object.kind, name))
    }

    /// The innermost existing object of a kind on the way, for instance the catalog.
    ///
    /// # Errors
    /// As [`Self::row`].
    pub fn of_kind(&self, kind: ObjectKind) -> Result<&ChainRow, OperationError> {
        self.chain.of_kind(kind).ok_or_else(|| self.missing())
    }

    /// What directly contains the object, when all of it exists: the schema of a table, the metalake of a role.
    ///
    /// # Errors
    /// As [`Self::row`].
    pub fn parent(&self) -> Result<&ChainRow, OperationError> {
        let rows = &self.chain.rows;
        let parents = if self.chain.is_found {
            rows.len().saturating_sub(1)
        } else {
            rows.len()
        };
        let kind = self.object.kind;
        let expected = if kind == ObjectKind::Metalake {
            0
        } else if kind == ObjectKind::Schema {
            1 + self.schema_levels
        } else if kind.levels() == 1 {
            1
        } else {
            // metalake, catalog, every level of the schema
            2 + self.schema_levels
        };
        rows.get(parents.wrapping_sub(1))
            .filter(|_| parents == expected)
            .ok_or_else(|| self.missing())
    }

    /// The error that names what is missing: the topmost level.
    pub fn missing(&self) -> OperationError {
        let rows = &self.chain.rows;
        let has = |kind: ObjectKind| rows.iter().any(|row| row.object.kind == kind);
        let names = &self.object.path;
        let name = |level: usize| names.get(level).cloned().unwrap_or_default();
        if !has(ObjectKind::Metalake) {
            return OperationError::not_found(ObjectKind::Metalake, &self.metalake);
        }
        if self.object.kind.levels() > 1 && !has(ObjectKind::Catalog) {
            return OperationError::not_found(ObjectKind::Catalog, name(0));
        }
        let schemas = rows
            .iter()
            .filter(|row| row.object.kind == ObjectKind::Schema)
            .count();
        if self.object.kind.levels() > 2 && schemas < self.schema_levels {
            return OperationError::not_found(ObjectKind::Schema, name(1));
        }
        OperationError::not_found(self.object.kind, names.last().cloned().unwrap_or_default())
    }

    /// Whether what was found under the name is what `now` says: the same objects, all the way down as far as they
    /// existed. What did not exist may.
    pub(crate) fn is_still(&self, now: &Self) -> bool {
        let (before, after) = (&self.chain.rows, &now.chain.rows);
        let has_the_same = before.len() <= after.len()
            && before
                .iter()
                .zip(after)
                .all(|(before, after)| before.object.id == after.object.id);
        has_the_same && (!self.chain.is_found || now.chain.is_found && before.len() == after.len())
    }

    /// The error of an object that was found and went away, by a drop or a rename, while the request was at work.
    pub(crate) fn gone(&self) -> OperationError {
        OperationError::not_found(
            self.object.kind,
            self.object.path.last().cloned().unwrap_or_default(),
        )
    }

    /// Refuses what lies in a metalake or catalog that is switched off. The object that carries the switch itself is
    /// not asked: a disabled catalog can be loaded and enabled.
    ///
    /// # Errors
    /// [`OperationError::Disabled`].
    pub fn require_in_use(&self) -> Result<(), OperationError> {
        for row in &self.chain.rows {
            let is_itself = row.object.kind == self.object.kind && self.chain.is_found;
            let carries = matches!(row.object.kind, ObjectKind::Metalake | ObjectKind::Catalog);
            if carries && !is_itself && is_off(row) {
                return Err(OperationError::Disabled {
                    noun: Noun::Object(row.object.kind),
                    name: row.object.name.clone(),
                });
            }
        }
        Ok(())
    }
}

/// Whether a metalake or catalog is switched off.
pub fn is_off(row: &ChainRow) -> bool {
    row.object
        .properties
        .get(IN_USE)
        .is_some_and(|value| value == "false")
}

/// The reserved property that switches metalakes and catalogs.
pub const IN_USE: &str = "in-use";

impl Facts {
    /// What the requirement is decided on.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// What the caller holds.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// The counters under which these facts hold; `None` when the request concerns no metalake, or a missing one.
    pub fn revision(&self) -> Option<Revision> {
        self.metalake.map(|(_, revision)| revision)
    }

    /// The metalake as the request named it.
    pub fn metalake_name(&self) -> Option<&str> {
        self.metalake_name.as_deref()
    }

    /// The metalake's id.
    ///
    /// # Errors
    /// [`OperationError::NotFound`].
    pub fn metalake_id(&self) -> Result<ObjectId, OperationError> {
        self.metalake.map(|(id, _)| id).ok_or_else(|| {
            OperationError::not_found(
                ObjectKind::Metalake,
                self.metalake_name.clone().unwrap_or_default(),
            )
        })
    }

    /// The metalake and the counters of the state that these facts are of.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] as [`Self::metalake_id`].
    pub(crate) fn state(&self) -> Result<(ObjectId, Revision), OperationError> {
        let id = self.metalake_id()?;
        Ok((id, self.revision().unwrap_or_default()))
    }

    /// The object that the request acts on; the metalake where it names a user or group.
    ///
    /// # Errors
    /// [`OperationError::Internal`] for a request that concerns the server itself.
    pub fn found(&self) -> Result<&Found, OperationError> {
        self.object
            .as_ref()
            .ok_or_else(|| OperationError::internal("the request names no object"))
    }

    /// The object that the request acts on, with its owner; it exists.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the topmost level that does not exist.
    pub fn row(&self) -> Result<&ChainRow, OperationError> {
        self.found()?.row()
    }

    /// The tags, policies or job template to use, in the order in which the request names them.
    pub fn instruments(&self) -> &[Found] {
        &self.instruments
    }

    /// Where the object moves to.
    pub fn destination(&self) -> Option<&Found> {
        self.destination.as_ref()
    }

    /// Each of the objects of a request that names several, in its order.
    pub fn several(&self) -> &[Found] {
        &self.several
    }

    /// All that the request names, in an order that depends on its shape alone.
    pub(crate) fn founds(&self) -> impl Iterator<Item = &Found> {
        let first = self.object.iter().chain(&self.instruments);
        first.chain(&self.destination).chain(&self.several)
    }

    /// See [`Found::require_in_use`]; also for requests that concern the metalake as a whole (users, roles, tags).
    ///
    /// # Errors
    /// [`OperationError::Disabled`].
    pub fn require_in_use(&self) -> Result<(), OperationError> {
        self.object.as_ref().map_or(Ok(()), Found::require_in_use)
    }

    /// Refuses everything but the metalake's own operations while it is switched off.
    ///
    /// # Errors
    /// [`OperationError::Disabled`]; [`OperationError::NotFound`] when there is no such metalake.
    pub fn require_metalake_in_use(&self) -> Result<(), OperationError> {
        let metalake = self.found()?.of_kind(ObjectKind::Metalake)?;
        if is_off(metalake) {
            return Err(OperationError::Disabled {
                noun: ObjectKind::Metalake.into(),
                name: metalake.object.name.clone(),
            });
        }
        Ok(())
    }
}

/// The facts of a request from what was found of the objects that it names, in the order in which the gate looks for them.
pub(crate) fn facts(
    named: &Named,
    metalake: Option<(ObjectId, Revision)>,
    grants: Arc<Grants>,
    found: Vec<Found>,
) -> Facts {
    let (several, found) = match &named.what {
        NamedWhat::Several(_) => (found, Vec::new()),
        NamedWhat::Server
        | NamedWhat::Object(_)
        | NamedWhat::Principal(_)
        | NamedWhat::Instruments { .. }
        | NamedWhat::Move { .. } => (Vec::new(), found),
    };
    let mut found = found.into_iter();
    let object = found.next();
    let chain = |found: &Option<Found>| {
        found.as_ref().map_or_else(
            || lakeward_authorization::Chain::missing(ObjectKind::Metalake, Vec::new()),
            |found| found.chain.to_decide(),
        )
    };
    let mut instruments = Vec::new();
    let mut destination = None;
    let shape = match &named.what {
        NamedWhat::Server if named.metalake.is_none() => Shape::Server,
        NamedWhat::Server | NamedWhat::Object(_) => Shape::Object(chain(&object)),
        NamedWhat::Principal(principal) => Shape::Principal {
            metalake: chain(&object),
            principal: principal.clone(),
        },
        NamedWhat::Instruments { .. } => {
            instruments = found.collect();
            Shape::Instruments {
                object: chain(&object),
                instruments: instruments.iter().map(|found| found.chain.to_decide()).collect(),
            }
        }
        NamedWhat::Move { .. } => {
            destination = found.next();
            Shape::Move {
                source: chain(&object),
                destination: chain(&destination),
            }
        }
        NamedWhat::Several(objects) => {
            let targets = several.iter().zip(objects).map(|(found, (_, says))| {
                let target = Target::object(found.chain.to_decide());
                says.iter()
                    .fold(target, |target, circumstance| target.saying(*circumstance, true))
            });
            Shape::Several(targets.collect())
        }
    };
    let mut target = Target::of(shape);
    for circumstance in &named.says {
        target = target.saying(*circumstance, true);
    }
    Facts {
        metalake,
        metalake_name: named.metalake.clone(),
        grants,
        target,
        object,
        instruments,
        destination,
        several,
        open: None,
    }
}
