// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What manifest lists, partitions and metrics tell of columns.

use std::collections::{BTreeMap, BTreeSet};

use iceberg::spec::{DataFile, Datum, FieldSummary, Literal, PrimitiveType, Struct, StructType};
use lakeward_read_restrictions::field::FieldType;
use serde_json::Value;

use super::facts::Facts;
use super::filter::Term;
use super::value::ScanValue;
use crate::document::Document;
use crate::schema::{Schema, SchemaField, SchemaType, int32};
use crate::transform::IcebergTransform;

/// A field of a partition spec.
#[derive(Debug, Clone)]
pub(super) struct PartitionField {
    source: i32,
    /// `None` for one that the specification does not have, of which nothing is known.
    transform: Option<IcebergTransform>,
}

/// The fields of a partition spec from their JSON.
pub(super) fn fields_of(spec: &Value) -> Vec<PartitionField> {
    let fields = spec.as_array().into_iter().flatten();
    fields
        .map(|field| PartitionField {
            // One of several columns has no place where an id is looked for.
            source: field.get("source-id").and_then(int32).unwrap_or_default(),
            transform: field
                .get("transform")
                .and_then(Value::as_str)
                .and_then(IcebergTransform::parse),
        })
        .collect()
}

/// Whether a spec divides nothing.
pub(super) fn is_unpartitioned(fields: &[PartitionField]) -> bool {
    fields
        .iter()
        .all(|field| field.transform == Some(IcebergTransform::Void))
}

/// What the partition of files tells of what a term tests: `known` has the facts of each field of the spec.
pub(super) fn of_partition(term: &Term, fields: &[PartitionField], known: &[Facts]) -> Vec<Facts> {
    fields
        .iter()
        .zip(known)
        .filter(|(field, _)| field.source == term.field)
        .filter_map(|(field, facts)| match (term.transform, field.transform?) {
            (IcebergTransform::Identity, transform) => Some(facts.of_source(transform, &term.of)),
            (tested, transform) if tested == transform => Some(facts.clone()),
            _ => None,
        })
        .collect()
}

/// The facts of a partition.
pub(super) fn exactly(partition: &Struct, of: &StructType) -> Vec<Facts> {
    partition
        .iter()
        .zip(of.fields())
        .map(
            |(value, field)| match (value, field.field_type.as_primitive_type()) {
                (None, Some(of)) => Facts::only(None, of),
                (Some(Literal::Primitive(value)), Some(of)) => Facts::only(Some(value), of),
                _ => Facts::unknown(),
            },
        )
        .collect()
}

/// A partition spec of a table, with the types of its values where they are known.
#[derive(Debug)]
pub(super) struct Spec {
    pub(super) fields: Vec<PartitionField>,
    types: Vec<Option<PrimitiveType>>,
}

/// The specs of these ids that the table has.
pub(super) fn specs(document: &Document, ids: BTreeSet<i32>) -> BTreeMap<i32, Spec> {
    let found: Vec<(i32, Vec<PartitionField>)> = ids
        .into_iter()
        .filter_map(|id| {
            let spec = document.element("partition-specs", "spec-id", i64::from(id))?;
            Some((id, fields_of(spec.get("fields")?)))
        })
        .collect();
    let of_source = |field: &&PartitionField| {
        matches!(
            field.transform,
            Some(IcebergTransform::Identity | IcebergTransform::Truncate(_))
        )
    };
    let fields = found.iter().flat_map(|(_, fields)| fields).filter(of_source);
    let sources = types_of(document, &fields.map(|field| field.source).collect());
    let with_types = found.into_iter().map(|(id, fields)| {
        let types = fields.iter().map(|field| result_type(field, &sources)).collect();
        (id, Spec { fields, types })
    });
    with_types.collect()
}

impl Spec {
    /// The facts of all partitions in a manifest, from what its list says of them.
    pub(super) fn of_summaries(&self, summaries: &[FieldSummary]) -> Option<Vec<Facts>> {
        if self.fields.len() != summaries.len() {
            return None;
        }
        let known = self.types.iter().zip(summaries).map(|(of, summary)| match of {
            None => Facts::unknown(),
            Some(of) => {
                let bound = |bytes: Option<&[u8]>| {
                    let datum = Datum::try_from_bytes(bytes?, of.clone()).ok()?;
                    ScanValue::of_datum(&datum)
                };
                let facts = Facts {
                    has_null: summary.contains_null,
                    has_nan: summary.contains_nan != Some(false),
                    ..Facts::unknown()
                };
                facts.between(
                    bound(summary.lower_bound.as_ref().map(|bytes| bytes.as_ref())),
                    bound(summary.upper_bound.as_ref().map(|bytes| bytes.as_ref())),
                )
            }
        });
        Some(known.collect())
    }
}

/// The types of columns. A column may be gone from the current schema; a type never changes in a way that matters here,
/// since the widened reads the narrow.
fn types_of(document: &Document, ids: &BTreeSet<i32>) -> BTreeMap<i32, PrimitiveType> {
    let current = document.current_schema().ok();
    let others = document.list("schemas").iter().rev();
    let others = others.filter_map(|schema| Schema::parse(schema).ok());
    let mut found = BTreeMap::new();
    for schema in current.into_iter().chain(others) {
        let by_id = schema.by_id();
        for id in ids {
            if !found.contains_key(id)
                && let Some(of) = by_id.get(id).and_then(|(_, field)| primitive_type(field))
            {
                found.insert(*id, of);
            }
        }
        if found.len() == ids.len() {
            break;
        }
    }
    found
}

/// The type of the values of a partition field.
fn result_type(field: &PartitionField, sources: &BTreeMap<i32, PrimitiveType>) -> Option<PrimitiveType> {
    match field.transform? {
        IcebergTransform::Year
        | IcebergTransform::Month
        | IcebergTransform::Hour
        | IcebergTransform::Bucket(_) => Some(PrimitiveType::Int),
        IcebergTransform::Day => Some(PrimitiveType::Date),
        IcebergTransform::Void => None,
        IcebergTransform::Identity | IcebergTransform::Truncate(_) => sources.get(&field.source).cloned(),
    }
}

fn primitive_type(field: &SchemaField) -> Option<PrimitiveType> {
    let SchemaType::Primitive { text, .. } = &field.schema_type else {
        return None;
    };
    serde_json::from_value(Value::String(text.clone())).ok()
}

/// What the metrics of a file tell of a column.
pub(super) fn of_metrics(term: &Term, file: &DataFile) -> Facts {
    let id = &term.field;
    let counted = file.value_counts().get(id).copied().filter(|count| *count > 0);
    let nulls = file.null_value_counts().get(id).copied();
    let nans = if matches!(term.of, FieldType::Float | FieldType::Double) {
        file.nan_value_counts().get(id).copied()
    } else {
        Some(0)
    };
    let others = nulls.zip(nans).map(|(nulls, nans)| nulls.saturating_add(nans));
    let facts = Facts {
        // What a column in a struct lacks where the struct does is counted by some writers only.
        has_null: nulls != Some(0) || term.is_nested,
        has_nan: nans != Some(0),
        has_value: term.is_nested
            || counted
                .zip(others)
                .is_none_or(|(counted, others)| counted > others),
        ..Facts::unknown()
    };
    if term.transform != IcebergTransform::Identity {
        return facts;
    }
    let bound = |datum: Option<&Datum>| datum.and_then(ScanValue::of_datum);
    let (least, greatest) = (file.lower_bounds().get(id), file.upper_bounds().get(id));
    // A bound that is NaN is none, and says that the other was made by the same mistake.
    let is_nan = |datum: Option<&Datum>| datum.is_some() && bound(datum).is_none();
    if is_nan(least) || is_nan(greatest) {
        return facts;
    }
    facts.between(bound(least), bound(greatest))
}
