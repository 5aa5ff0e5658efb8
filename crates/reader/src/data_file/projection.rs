// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From the columns that one file stores to the fields of the table, by field id at every level.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StructArray};
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, SchemaRef as ArrowSchemaRef};
use arrow::record_batch::RecordBatch;
use iceberg::spec::{NestedField, NestedFieldRef, Type};
use parquet::basic::Type as PhysicalType;

use super::columns::{FileColumns, Stored, readable_as};
use super::constant::Constant;
use super::widening::widened;

/// A field of the table with the Arrow type in which it is shown.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) field: NestedFieldRef,
    pub(crate) data_type: DataType,
}

/// How wanted fields come from one file.
#[derive(Debug)]
pub(super) struct Projection {
    sources: Vec<Source>,
    /// Numbers of the leaves to decode.
    pub(super) leaves: BTreeSet<usize>,
    /// Arrow types in which leaves are decoded, where they are not Parquet's own.
    hints: BTreeMap<usize, DataType>,
    /// Leaf numbers of top-level columns of text, which may also be decoded as dictionaries.
    pub(super) text: HashMap<i32, usize>,
}

#[derive(Debug)]
enum Source {
    /// A column of the decoded batch.
    Stored {
        position: usize,
        shape: Shape,
    },
    Constant(Constant),
}

#[derive(Debug)]
enum Shape {
    Values(DataType),
    Struct {
        fields: Fields,
        members: Vec<Source>,
    },
    List {
        element: FieldRef,
        shape: Box<Shape>,
    },
    Map {
        entries: FieldRef,
        sorted: bool,
        shapes: Box<(Shape, Shape)>,
    },
}

impl Projection {
    /// How `wanted` come from a file. `constants` are the values of identity partitions by field id, which stand above
    /// what the file stores. `rows` is the usual size of a batch.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(super) fn new(
        wanted: &[Wanted],
        columns: &FileColumns,
        constants: &HashMap<i32, Constant>,
        rows: usize,
    ) -> Result<Self, String> {
        let mut builder = Builder {
            columns,
            rows,
            leaves: BTreeSet::new(),
            hints: BTreeMap::new(),
        };
        let mut text = HashMap::new();
        let mut found = Vec::with_capacity(wanted.len());
        for Wanted { field, data_type } in wanted {
            let position = columns.position(field.id);
            let stored = position.and_then(|position| Some((position, columns.stored(position)?)));
            found.push(match (constants.get(&field.id), stored) {
                (Some(constant), _) => (None, Source::Constant(constant.clone())),
                (None, Some((position, stored))) => {
                    let shape = builder.shape(&stored, field, data_type)?;
                    if stored.field.data_type() == &DataType::Utf8 {
                        text.insert(field.id, stored.first_leaf);
                    }
                    (Some(position), Source::Stored { position, shape })
                }
                (None, None) => (None, Source::Constant(builder.missing(field, data_type)?)),
            });
        }
        // Decoded columns come in the order of the file.
        let decoded: BTreeSet<usize> = found.iter().filter_map(|(position, _)| *position).collect();
        let sources = found
            .into_iter()
            .map(|(_, source)| source.at_rank_in(&decoded))
            .collect();
        Ok(Self {
            sources,
            leaves: builder.leaves,
            hints: builder.hints,
            text,
        })
    }

    /// The schema that tells the decoder into which types to decode; leaves in `dictionaries` stay dictionaries.
    pub(super) fn schema(&self, columns: &FileColumns, dictionaries: &BTreeSet<usize>) -> ArrowSchemaRef {
        let mut next = 0;
        let text = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let hint = |leaf: usize| {
            if dictionaries.contains(&leaf) {
                Some(&text)
            } else {
                self.hints.get(&leaf)
            }
        };
        let fields: Vec<FieldRef> = columns
            .schema
            .fields()
            .iter()
            .map(|field| hinted(field, &mut next, &hint))
            .collect();
        Arc::new(Schema::new_with_metadata(
            fields,
            columns.schema.metadata().clone(),
        ))
    }

    /// The wanted fields of a decoded batch, in their order.
    pub(super) fn fields(&self, decoded: &RecordBatch) -> Result<Vec<ArrayRef>, String> {
        self.sources
            .iter()
            .map(|source| source.column(decoded.columns(), decoded.num_rows()))
            .collect()
    }
}

struct Builder<'a> {
    columns: &'a FileColumns,
    rows: usize,
    leaves: BTreeSet<usize>,
    hints: BTreeMap<usize, DataType>,
}

impl Builder<'_> {
    fn missing(&self, field: &NestedField, data_type: &DataType) -> Result<Constant, String> {
        Constant::of_missing(field, data_type, self.rows).ok_or_else(|| {
            format!(
                "the default of field {} cannot be shown as `{data_type}`",
                field.id
            )
        })
    }

    fn shape(
        &mut self,
        stored: &Stored<'_>,
        field: &NestedField,
        data_type: &DataType,
    ) -> Result<Shape, String> {
        let found = stored.field.data_type();
        let mismatch = || {
            format!(
                "it stores field {} as `{found}`, which cannot become `{data_type}`",
                field.id
            )
        };
        match (field.field_type.as_ref(), found, data_type) {
            (Type::Primitive(_), _, _) => {
                let physical = self.columns.physical(stored.first_leaf);
                if found.is_nested() || !readable_as(found, data_type, physical) {
                    return Err(mismatch());
                }
                self.leaves.insert(stored.first_leaf);
                let decoded_otherwise = match (found, data_type) {
                    (_, DataType::Utf8View | DataType::BinaryView) => true,
                    (_, DataType::Timestamp(..)) if physical == Some(PhysicalType::INT96) => true,
                    // Of the same unit it is only another name of the zone.
                    (DataType::Timestamp(stored, _), DataType::Timestamp(unit, Some(_))) => stored == unit,
                    _ => false,
                };
                if decoded_otherwise {
                    self.hints.insert(stored.first_leaf, data_type.clone());
                }
                Ok(Shape::Values(data_type.clone()))
            }
            (Type::Struct(wanted), DataType::Struct(_), DataType::Struct(fields)) => {
                let members = stored.members();
                let mut found = Vec::with_capacity(wanted.fields().len());
                for (member, shown) in wanted.fields().iter().zip(fields) {
                    let position = members
                        .iter()
                        .position(|candidate| self.columns.is(candidate, stored, member));
                    found.push(match position.and_then(|at| Some((at, members.get(at)?))) {
                        Some((position, here)) => {
                            let shape = self.shape(here, member, shown.data_type())?;
                            (Some(position), Source::Stored { position, shape })
                        }
                        None => {
                            let missing = self.missing(member, shown.data_type())?;
                            (None, Source::Constant(missing))
                        }
                    });
                }
                let decoded: BTreeSet<usize> = found.iter().filter_map(|(position, _)| *position).collect();
                if decoded.is_empty() {
                    // Of which structs are null, any leaf tells.
                    self.leaves.insert(stored.first_leaf);
                }
                Ok(Shape::Struct {
                    fields: fields.clone(),
                    members: found
                        .into_iter()
                        .map(|(_, source)| source.at_rank_in(&decoded))
                        .collect(),
                })
            }
            (Type::List(wanted), DataType::List(_), DataType::List(element)) => {
                let members = stored.members();
                let here = members.first().ok_or_else(mismatch)?;
                let shape = self.shape(here, &wanted.element_field, element.data_type())?;
                Ok(Shape::List {
                    element: Arc::clone(element),
                    shape: Box::new(shape),
                })
            }
            (Type::Map(wanted), DataType::Map(..), DataType::Map(entries, sorted)) => {
                let members = stored.members();
                let (Some(key), Some(value), DataType::Struct(shown)) =
                    (members.first(), members.get(1), entries.data_type())
                else {
                    return Err(mismatch());
                };
                let (Some(shown_key), Some(shown_value)) = (shown.first(), shown.get(1)) else {
                    return Err(mismatch());
                };
                let key = self.shape(key, &wanted.key_field, shown_key.data_type())?;
                let value = self.shape(value, &wanted.value_field, shown_value.data_type())?;
                Ok(Shape::Map {
                    entries: Arc::clone(entries),
                    sorted: *sorted,
                    shapes: Box::new((key, value)),
                })
            }
            (Type::Struct(_) | Type::List(_) | Type::Map(_), _, _) => Err(mismatch()),
        }
    }
}

impl Source {
    /// Among all stored columns or members only `decoded` are decoded; a position becomes one among them.
    fn at_rank_in(self, decoded: &BTreeSet<usize>) -> Self {
        match self {
            Self::Stored { position, shape } => Self::Stored {
                position: decoded.range(..position).count(),
                shape,
            },
            Self::Constant(constant) => Self::Constant(constant),
        }
    }

    fn column(&self, decoded: &[ArrayRef], rows: usize) -> Result<ArrayRef, String> {
        match self {
            Self::Stored { position, shape } => {
                let column = decoded.get(*position).ok_or("a column was not decoded")?;
                shape.of(column)
            }
            Self::Constant(constant) => constant
                .column(rows)
                .ok_or_else(|| "a constant column could not be built".to_owned()),
        }
    }
}

impl Shape {
    fn of(&self, stored: &ArrayRef) -> Result<ArrayRef, String> {
        match self {
            Self::Values(data_type) => {
                // A dictionary was asked for by who can use it.
                if stored.data_type() == data_type || stored.as_any_dictionary_opt().is_some() {
                    return Ok(Arc::clone(stored));
                }
                // The library's message would show the value, and the row may be a hidden one.
                widened(stored, data_type).map_err(|_| format!("a stored value does not fit `{data_type}`"))
            }
            Self::Struct { fields, members } => {
                let structs = stored.as_struct_opt().ok_or("a struct was not decoded as one")?;
                let columns = members
                    .iter()
                    .map(|member| member.column(structs.columns(), structs.len()))
                    .collect::<Result<Vec<_>, _>>()?;
                let nulls = structs.nulls().cloned();
                let built = if fields.is_empty() {
                    StructArray::new_empty_fields(structs.len(), nulls)
                } else {
                    StructArray::try_new(fields.clone(), columns, nulls).map_err(unbuilt)?
                };
                Ok(Arc::new(built))
            }
            Self::List { element, shape } => {
                let lists = stored
                    .as_list_opt::<i32>()
                    .ok_or("a list was not decoded as one")?;
                let built = ListArray::try_new(
                    Arc::clone(element),
                    lists.offsets().clone(),
                    shape.of(lists.values())?,
                    lists.nulls().cloned(),
                );
                Ok(Arc::new(built.map_err(unbuilt)?))
            }
            Self::Map {
                entries,
                sorted,
                shapes,
            } => {
                let maps = stored.as_map_opt().ok_or("a map was not decoded as one")?;
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err("a map has no entries".to_owned());
                };
                let columns = vec![shapes.0.of(maps.keys())?, shapes.1.of(maps.values())?];
                let pairs = StructArray::try_new(fields.clone(), columns, None).map_err(unbuilt)?;
                let built = MapArray::try_new(
                    Arc::clone(entries),
                    maps.offsets().clone(),
                    pairs,
                    maps.nulls().cloned(),
                    *sorted,
                );
                Ok(Arc::new(built.map_err(unbuilt)?))
            }
        }
    }
}

fn unbuilt(_: arrow::error::ArrowError) -> String {
    "a nested column lacks a value that the table requires".to_owned()
}

/// The field with other types for some of its leaves.
fn hinted<'a>(field: &FieldRef, next: &mut usize, hint: &dyn Fn(usize) -> Option<&'a DataType>) -> FieldRef {
    let within = |child: &FieldRef, next: &mut usize| hinted(child, next, hint);
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|child| within(child, next)).collect())
        }
        DataType::List(element) => DataType::List(within(element, next)),
        DataType::LargeList(element) => DataType::LargeList(within(element, next)),
        DataType::Map(entries, sorted) => DataType::Map(within(entries, next), *sorted),
        other => {
            let leaf = *next;
            *next += 1;
            hint(leaf).unwrap_or(other).clone()
        }
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}
