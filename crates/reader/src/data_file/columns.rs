// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The columns that one file stores, and which field of the table each of them is.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, SchemaRef as ArrowSchemaRef, TimeUnit};
use iceberg::spec::{MappedField, NameMapping, NestedField};
use parquet::arrow::{PARQUET_FIELD_ID_META_KEY, parquet_to_arrow_schema};
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::ParquetMetaData;

/// How columns of a file are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identification {
    /// By the field ids in the file.
    FieldId,
    /// By the table's name mapping.
    NameMapping,
}

/// The columns of one file.
pub(super) struct FileColumns {
    identification: Identification,
    /// As Parquet's own types say it; what writers embed beside them is not looked at.
    pub(super) schema: ArrowSchemaRef,
    mapping: Option<Arc<NameMapping>>,
    /// Field ids of the top-level columns.
    ids: Vec<Option<i32>>,
    /// Physical types of all leaves.
    physical: Vec<PhysicalType>,
}

/// A column of a file or a member of one.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a> {
    pub(super) field: &'a Field,
    /// Number of its first leaf among all leaves of the file.
    pub(super) first_leaf: usize,
    names: &'a [Arc<MappedField>],
}

impl FileColumns {
    pub(super) fn new(footer: &ParquetMetaData, mapping: Option<Arc<NameMapping>>) -> Result<Self, String> {
        let file = footer.file_metadata();
        let schema = parquet_to_arrow_schema(file.schema_descr(), None).map_err(|cause| cause.to_string())?;
        let stored = file.schema_descr().root_schema().get_fields();
        // The first column decides, as in other readers.
        let has_ids = stored.first().is_none_or(|first| first.get_basic_info().has_id());
        let identification = match (has_ids, &mapping) {
            (true, _) => Identification::FieldId,
            (false, Some(_)) => Identification::NameMapping,
            // Positions say nothing once columns were dropped, added or reordered.
            (false, None) => {
                return Err(
                    "its columns have no field ids and the table has no name mapping, so nobody can tell which column is which; set the table property `schema.name-mapping.default`"
                        .to_owned(),
                );
            }
        };
        let names = mapping.as_deref().map_or(&[][..], NameMapping::fields);
        let ids = schema
            .fields()
            .iter()
            .map(|field| match identification {
                Identification::FieldId => stored_id(field),
                Identification::NameMapping => names
                    .iter()
                    .find(|known| known.names().contains(field.name()))
                    .and_then(MappedField::field_id),
            })
            .collect();
        let leaves = file.schema_descr().columns().iter();
        let physical = leaves.map(|leaf| leaf.physical_type()).collect();
        Ok(Self {
            identification,
            schema: Arc::new(schema),
            mapping,
            ids,
            physical,
        })
    }

    /// Position of a field among the top-level columns.
    pub(super) fn position(&self, field_id: i32) -> Option<usize> {
        self.ids.iter().position(|id| *id == Some(field_id))
    }

    /// Physical type of a leaf.
    pub(super) fn physical(&self, leaf: usize) -> Option<PhysicalType> {
        self.physical.get(leaf).copied()
    }

    /// The top-level column at a position.
    pub(super) fn stored(&self, position: usize) -> Option<Stored<'_>> {
        let field = self.schema.fields().get(position)?;
        let before = self.schema.fields().iter().take(position);
        let mapped = self.mapping.as_deref().map_or(&[][..], NameMapping::fields);
        Some(Stored {
            field,
            first_leaf: before.map(|field| leaves(field.data_type())).sum(),
            names: mapped
                .iter()
                .find(|known| known.names().contains(field.name()))
                .map_or(&[][..], MappedField::fields),
        })
    }

    /// Whether a stored member is the wanted member of the same parent.
    pub(super) fn is(&self, stored: &Stored<'_>, parent: &Stored<'_>, wanted: &NestedField) -> bool {
        match self.identification {
            Identification::FieldId => stored_id(stored.field) == Some(wanted.id),
            Identification::NameMapping => parent.names.iter().any(|known| {
                known.field_id() == Some(wanted.id) && known.names().contains(stored.field.name())
            }),
        }
    }
}

impl<'a> Stored<'a> {
    /// Members of a struct; element of a list; key and value of a map.
    pub(super) fn members(&self) -> Vec<Stored<'a>> {
        // A mapping has its own names for the parts of lists and maps, which files name as they like.
        let (fields, mapped): (Vec<&'a Field>, &[&str]) = match self.field.data_type() {
            DataType::Struct(fields) => (fields.iter().map(AsRef::as_ref).collect(), &[]),
            DataType::List(element) | DataType::LargeList(element) => (vec![element], &["element"]),
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) => (fields.iter().map(AsRef::as_ref).collect(), &["key", "value"]),
                _ => (Vec::new(), &[]),
            },
            _ => (Vec::new(), &[]),
        };
        let mut next = self.first_leaf;
        fields
            .into_iter()
            .enumerate()
            .map(|(at, field)| {
                let name = mapped.get(at).copied().unwrap_or(field.name());
                let first_leaf = next;
                next += leaves(field.data_type());
                let names = self
                    .names
                    .iter()
                    .find(|known| known.names().iter().any(|other| other == name))
                    .map_or(&[][..], |known| known.fields());
                Stored {
                    field,
                    first_leaf,
                    names,
                }
            })
            .collect()
    }
}

/// Number of primitive columns that a type is stored as.
fn leaves(data_type: &DataType) -> usize {
    match data_type {
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field.data_type())).sum(),
        DataType::List(element) | DataType::LargeList(element) | DataType::Map(element, _) => {
            leaves(element.data_type())
        }
        _ => 1,
    }
}

fn stored_id(field: &Field) -> Option<i32> {
    field.metadata().get(PARQUET_FIELD_ID_META_KEY)?.parse().ok()
}

/// Whether a stored primitive type becomes the wanted type without loss: Iceberg's promotions, and encodings of the
/// same values.
pub(crate) fn readable_as(stored: &DataType, wanted: &DataType, physical: Option<PhysicalType>) -> bool {
    match (stored, wanted) {
        (DataType::Int8 | DataType::Int16 | DataType::Int32, DataType::Int32 | DataType::Int64)
        | (DataType::Float32, DataType::Float64)
        | (DataType::Date32, DataType::Timestamp(_, None))
        | (DataType::Time32(TimeUnit::Millisecond), DataType::Time64(TimeUnit::Microsecond))
        | (DataType::Utf8, DataType::Utf8 | DataType::Utf8View)
        | (DataType::Binary, DataType::LargeBinary | DataType::BinaryView) => true,
        (DataType::Decimal128(stored_precision, stored_scale), DataType::Decimal128(precision, scale)) => {
            stored_scale == scale && stored_precision <= precision
        }
        (DataType::Timestamp(stored_unit, stored_zone), DataType::Timestamp(unit, zone)) => {
            let finer = (stored_unit, unit) == (&TimeUnit::Millisecond, &TimeUnit::Microsecond);
            stored_zone.is_some() == zone.is_some() && (stored_unit == unit || finer)
                || physical == Some(PhysicalType::INT96)
        }
        (stored, wanted) => stored == wanted,
    }
}
