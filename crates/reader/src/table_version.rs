// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which state of a table a query reads.
//!
//! Restrictions are always today's. They speak of fields by id, so they hold for an older schema as long as it has
//! those fields with the same types; where it has not, the state is refused, since nobody can say what would hold then.

use std::collections::BTreeSet;
use std::fmt;

use arrow::array::temporal_conversions::timestamp_ms_to_datetime;
use iceberg::spec::{SchemaRef, Snapshot, SnapshotRef, TableMetadata};
use lakeward_read_restrictions::restrictions::ReadRestrictions;

use crate::error::ReaderError;
use crate::fields::fields_of;
use crate::row_filter::collect_fields;

/// A state of a table, as a query names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum TableVersion {
    /// Now: the current snapshot with the current schema.
    #[default]
    Current,
    /// `VERSION AS OF 42`: a snapshot by its id, with the schema it was written with.
    Snapshot(i64),
    /// `VERSION AS OF 'name'`: a branch, with the table's current schema, or a tag, with its snapshot's.
    Reference(String),
    /// `TIMESTAMP AS OF '…'`, in milliseconds since the epoch: the snapshot that was current then, with its schema.
    AsOf(i64),
}

impl fmt::Display for TableVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Current => f.write_str("now"),
            Self::Snapshot(id) => write!(f, "VERSION AS OF {id}"),
            Self::Reference(name) => write!(f, "VERSION AS OF '{}'", name.replace('\'', "''")),
            Self::AsOf(ms) => match timestamp_ms_to_datetime(*ms) {
                Some(time) => write!(f, "TIMESTAMP AS OF '{}Z'", time.format("%Y-%m-%dT%H:%M:%S%.3f")),
                None => write!(f, "TIMESTAMP AS OF {ms} ms"),
            },
        }
    }
}

/// What of a table is read: the files of a snapshot, and the schema in which they are shown.
#[derive(Debug, Clone)]
pub(crate) struct TableState {
    /// `None` for a table without any snapshot, which has no rows.
    pub(crate) snapshot: Option<SnapshotRef>,
    /// The schema; not always that of the snapshot.
    pub(crate) schema: SchemaRef,
}

impl TableVersion {
    /// Finds the state of a table and checks that its restrictions can be enforced there. `name` is for messages.
    ///
    /// # Errors
    /// [`ReaderError::Version`] when there is no such state, or when a restricted field is not in it as it is now.
    pub(crate) fn state(
        &self,
        name: &str,
        metadata: &TableMetadata,
        restrictions: &ReadRestrictions,
    ) -> Result<TableState, ReaderError> {
        let refused = |problem: String| ReaderError::Version {
            table: name.to_owned(),
            version: self.to_string(),
            problem,
        };
        let current = metadata.current_schema();
        let with_own_schema = |snapshot: &SnapshotRef| {
            Ok::<_, ReaderError>(TableState {
                snapshot: Some(SnapshotRef::clone(snapshot)),
                schema: snapshot
                    .schema(metadata)
                    .map_err(|_| refused("its schema is no longer kept".to_owned()))?,
            })
        };
        let state = match self {
            Self::Current => TableState {
                snapshot: metadata.current_snapshot().cloned(),
                schema: SchemaRef::clone(current),
            },
            Self::Snapshot(id) => {
                let snapshot = metadata.snapshot_by_id(*id).ok_or_else(|| {
                    refused("the table has no snapshot with this id; it may have expired".to_owned())
                })?;
                with_own_schema(snapshot)?
            }
            Self::Reference(reference) => {
                let snapshot = metadata.snapshot_for_ref(reference).ok_or_else(|| {
                    refused(
                        "the table has no branch or tag of this name (a snapshot's id is written without quotes)"
                            .to_owned(),
                    )
                })?;
                if is_branch(metadata, reference) {
                    TableState {
                        snapshot: Some(SnapshotRef::clone(snapshot)),
                        schema: SchemaRef::clone(current),
                    }
                } else {
                    with_own_schema(snapshot)?
                }
            }
            Self::AsOf(ms) => {
                let id = current_at(metadata, *ms)
                    .ok_or_else(|| refused("the table's history does not reach so far back".to_owned()))?;
                let snapshot = metadata
                    .snapshot_by_id(id)
                    .ok_or_else(|| refused("the snapshot of that time has expired".to_owned()))?;
                with_own_schema(snapshot)?
            }
        };
        if state.schema.schema_id() != current.schema_id() {
            check_restricted_fields(metadata, &state, restrictions).map_err(refused)?;
        }
        Ok(state)
    }
}

/// The snapshot that was the current one at a time; Iceberg's table history says so, not the snapshots' own times.
fn current_at(metadata: &TableMetadata, ms: i64) -> Option<i64> {
    metadata
        .history()
        .iter()
        .filter(|entry| entry.timestamp_ms() <= ms)
        .max_by_key(|entry| entry.timestamp_ms())
        .map(|entry| entry.snapshot_id)
}

/// iceberg-rust tells the snapshot of a reference but not its kind, except by writing it out.
fn is_branch(metadata: &TableMetadata, reference: &str) -> bool {
    let written = serde_json::to_value(metadata).ok();
    let kind = written
        .as_ref()
        .and_then(|metadata| metadata.get("refs")?.get(reference)?.get("type")?.as_str());
    kind == Some("branch")
}

/// Every field that a filter reads or a mask hides must be in the state's schema, and of the type that it has now.
fn check_restricted_fields(
    metadata: &TableMetadata,
    state: &TableState,
    restrictions: &ReadRestrictions,
) -> Result<(), String> {
    let mut restricted: BTreeSet<i32> = restrictions
        .projections()
        .iter()
        .map(|projection| projection.field_id)
        .collect();
    if let Some(filter) = restrictions.row_filter() {
        collect_fields(filter.predicate(), &mut restricted);
    }
    let now = fields_of(metadata.current_schema());
    let then = fields_of(&state.schema);
    for id in restricted {
        let now = now.iter().find(|field| field.id == id);
        let then = then.iter().find(|field| field.id == id);
        match (now, then) {
            (Some(now), Some(then)) if now.field_type == then.field_type => {}
            (Some(_), Some(_)) => {
                return Err(
                    "a restricted column had another type then, so its restriction cannot be enforced"
                        .to_owned(),
                );
            }
            (_, None) | (None, _) => {
                return Err(
                    "a restricted column did not exist then, so its restriction cannot be enforced"
                        .to_owned(),
                );
            }
        }
    }
    Ok(())
}

impl TableState {
    /// The id of the snapshot that is read.
    pub(crate) fn snapshot_id(&self) -> Option<i64> {
        self.snapshot.as_deref().map(Snapshot::snapshot_id)
    }
}
