// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The physically filtered and masked copy, made by the one-value reference and held in memory.
//!
//! It shares nothing with what is tested but the engine above: neither files, nor metadata, nor Arrow kernels.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field as ArrowField, Schema as ArrowSchema};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::datasource::MemTable;
use lakeward_read_restrictions::action::{MaskAction, QuerySalt};
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use lakeward_read_restrictions::value::Value;

use crate::reference_arrays::{arrow_type, to_array, to_value};
use crate::tables::{Row, Version};

/// The rows that the restrictions let through, masked.
pub(crate) fn rows(version: &Version, restrictions: &ReadRestrictions, salt: &QuerySalt) -> Vec<Row> {
    version
        .rows
        .iter()
        .filter(|row| keeps(&version.fields, row, restrictions))
        .map(|row| {
            version
                .fields
                .iter()
                .zip(row)
                .map(|(field, value)| match restrictions.action_of(field.id) {
                    Some(action) => action.apply(&field.field_type, value, Some(salt)).unwrap(),
                    None => value.clone(),
                })
                .collect()
        })
        .collect()
}

/// Whether each restricted field of today is in the version as it is now.
pub(crate) fn can_be_restricted(
    version: &Version,
    current: &Version,
    restrictions: &ReadRestrictions,
) -> bool {
    let mut restricted: BTreeSet<i32> = restrictions
        .projections()
        .iter()
        .map(|projection| projection.field_id)
        .collect();
    if let Some(filter) = restrictions.row_filter() {
        fields_of(filter.predicate(), &mut restricted);
    }
    let type_in = |fields: &[Field], id: i32| {
        let field = fields.iter().find(|field| field.id == id);
        field.map(|field| field.field_type.clone())
    };
    restricted
        .into_iter()
        .all(|id| type_in(&version.fields, id) == type_in(&current.fields, id))
}

fn fields_of(predicate: &Predicate, fields: &mut BTreeSet<i32>) {
    match predicate {
        Predicate::Constant(_) => {}
        Predicate::IsNull { field }
        | Predicate::NotNull { field }
        | Predicate::Compare { field, .. }
        | Predicate::In { field, .. } => {
            fields.insert(*field);
        }
        Predicate::Not(child) => fields_of(child, fields),
        Predicate::And(children) | Predicate::Or(children) => {
            children.iter().for_each(|child| fields_of(child, fields));
        }
    }
}

fn keeps(fields: &[Field], row: &Row, restrictions: &ReadRestrictions) -> bool {
    let value_of = |id: i32| {
        let at = fields.iter().position(|field| field.id == id).unwrap();
        &row[at]
    };
    restrictions
        .row_filter()
        .is_none_or(|filter| evaluate(filter.predicate(), &value_of).unwrap())
}

/// The copy as a table of the engine, with the types that tables have inside it. Null is allowed where the reader says
/// so, since an optimizer leaves out what cannot be null.
pub(crate) fn table(fields: &[Field], restrictions: &ReadRestrictions, rows: &[Row]) -> Arc<MemTable> {
    let inside = |field: &Field| match arrow_type(&field.field_type).unwrap() {
        DataType::Utf8 => DataType::Utf8View,
        DataType::LargeBinary => DataType::BinaryView,
        other => other,
    };
    let arrow: Vec<ArrowField> = fields
        .iter()
        .map(|field| {
            let nulls = restrictions.action_of(field.id) == Some(MaskAction::ReplaceWithNull);
            ArrowField::new(&field.name, inside(field), nulls || !field.required)
        })
        .collect();
    let columns: Vec<ArrayRef> = fields
        .iter()
        .enumerate()
        .map(|(at, field)| {
            let values: Vec<Value> = rows.iter().map(|row| row[at].clone()).collect();
            let array = to_array(&field.field_type, &values);
            for (at, value) in values.iter().enumerate() {
                let back = to_value(&field.field_type, &array, at);
                // NaN is no equal of itself.
                assert_eq!(format!("{back:?}"), format!("{value:?}"), "{}", field.name);
            }
            cast(&array, &inside(field)).unwrap()
        })
        .collect();
    let schema = Arc::new(ArrowSchema::new(arrow));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), columns, &options).unwrap();
    Arc::new(MemTable::try_new(schema, vec![vec![batch]]).unwrap())
}
