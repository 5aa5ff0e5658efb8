// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Rows as another subject would see them, for a caller who may read the table: both subjects' restrictions hold.
//!
//! What always holds, whatever the other subject's restrictions are:
//! - A row is shown only when it passes both filters on its original values.
//! - Another subject's filter that reads a column which is masked for the caller is refused: whether a row is there would
//!   tell what its hidden value is. For the same reason the rows are chosen and ordered by what is shown of them.
//! - Of a column that is masked for the caller, only the caller's own masked values are shown, and only where the
//!   other subject has the same mask.

use std::collections::BTreeSet;

use iceberg::spec::{NestedField, Schema};
use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::{ReadRestrictions, RequiredColumnProjection};

use crate::error::ReaderError;
use crate::fields::fields_of;
use crate::load_table::LoadedTable;
use crate::row_filter::collect_fields;
use crate::table_name::TableName;

/// A table behind the restrictions of two subjects.
#[derive(Debug)]
pub(crate) struct Narrowed {
    pub(crate) loaded: LoadedTable,
    /// Columns of which nothing is shown, in the order of the schema: masked for the caller, and otherwise for the
    /// other subject.
    pub(crate) hidden: Vec<String>,
}

/// Puts a table behind further restrictions, `read-restrictions` as a server sends them; `null` restricts nothing.
///
/// # Errors
/// [`ReaderError::Restrictions`] for content that is not understood; [`ReaderError::FilterReadsMasked`].
pub(crate) fn narrowed(
    name: &TableName,
    loaded: LoadedTable,
    further: &str,
) -> Result<Narrowed, ReaderError> {
    let schema = loaded.metadata.current_schema();
    let further = ReadRestrictions::parse_text(further, &fields_of(schema)).map_err(|cause| {
        ReaderError::Restrictions {
            table: name.to_string(),
            cause: Box::new(cause),
        }
    })?;
    let own = &loaded.restrictions;
    check_filter(name, schema, own, &further)?;
    let filters = [own, &further].map(|restrictions| {
        let filter = restrictions.row_filter()?;
        Some(filter.predicate().clone())
    });
    let mut hidden = Vec::new();
    let mut projections = Vec::new();
    for field in schema.as_struct().fields() {
        let action = match (own.action_of(field.id), further.action_of(field.id)) {
            (None, None) => continue,
            (None, Some(other)) => other,
            (Some(own), Some(other)) if own == other => own,
            (Some(_), _) => {
                hidden.push(field.name.clone());
                MaskAction::ReplaceWithNull
            }
        };
        projections.push(RequiredColumnProjection {
            field_id: field.id,
            action,
        });
    }
    let restrictions = ReadRestrictions::combine(both(filters), projections)
        .map_err(|cause| ReaderError::Query(cause.to_string()))?;
    Ok(Narrowed {
        loaded: LoadedTable {
            restrictions,
            ..loaded
        },
        hidden,
    })
}

/// What a row must fulfil to pass both filters.
fn both(filters: [Option<Predicate>; 2]) -> Option<Predicate> {
    match filters {
        [None, filter] | [filter, None] => filter,
        [Some(own), Some(further)] if own == further => Some(own),
        [Some(own), Some(further)] => Some(Predicate::And(vec![own, further])),
    }
}

fn check_filter(
    name: &TableName,
    schema: &Schema,
    own: &ReadRestrictions,
    further: &ReadRestrictions,
) -> Result<(), ReaderError> {
    let mut read = BTreeSet::new();
    if let Some(filter) = further.row_filter() {
        collect_fields(filter.predicate(), &mut read);
    }
    let masked: Vec<String> = read
        .into_iter()
        .filter(|field| own.action_of(*field).is_some())
        .map(|field| schema.name_by_field_id(field).unwrap_or_default().to_owned())
        .collect();
    if masked.is_empty() {
        return Ok(());
    }
    Err(ReaderError::FilterReadsMasked {
        table: name.to_string(),
        columns: masked.join("`, `"),
    })
}

/// The query of a sample: the first rows in the order of what is shown of them.
pub(crate) fn query(name: &TableName, schema: &Schema, rows: usize) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let orders = |field: &&std::sync::Arc<NestedField>| field.field_type.is_primitive();
    let order: Vec<String> = schema
        .as_struct()
        .fields()
        .iter()
        .filter(orders)
        .map(|field| quoted(&field.name))
        .collect();
    let order = if order.is_empty() {
        String::new()
    } else {
        format!(" ORDER BY {}", order.join(", "))
    };
    format!(
        "SELECT * FROM {}.{}.{}{order} LIMIT {rows}",
        quoted(&name.catalog),
        quoted(&name.namespace.join(".")),
        quoted(&name.table)
    )
}
