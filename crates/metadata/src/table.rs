// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tables, and what may change of them.

use crate::Properties;
use crate::audit::Audit;
use crate::data_type::DataType;
use crate::distribution::Distribution;
use crate::expression::FieldPath;
use crate::index::Index;
use crate::name::Name;
use crate::partitioning::Transform;
use crate::sort_order::SortOrder;

mod change;
mod column;

pub use change::{ColumnPosition, TableChange};
pub use column::{Column, ColumnError};

/// What a table is made of, without name and history: what a creation asks for and a provider answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDefinition {
    /// What people should know of it.
    pub comment: Option<String>,
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// Settings.
    pub properties: Properties,
    /// How rows are spread.
    pub distribution: Distribution,
    /// In which order rows are kept.
    pub sort_orders: Vec<SortOrder>,
    /// How the table is divided.
    pub partitioning: Vec<Transform>,
    /// Its indexes.
    pub indexes: Vec<Index>,
}

/// A table that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTable {
    /// Its name in its schema.
    pub name: Name,
    /// What it is to be made of.
    pub definition: TableDefinition,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name in its schema.
    pub name: String,
    /// What it is made of.
    pub definition: TableDefinition,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// Why a definition makes no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// A column is wrong in itself.
    #[error(transparent)]
    Column(#[from] ColumnError),
    /// Two columns share a name.
    #[error("there are two columns named `{0}`")]
    DuplicateColumn(String),
    /// More than one column counts by itself.
    #[error("only one column may be auto-increment, but `{0}` and `{1}` are")]
    AutoIncrement(String, String),
    /// A reference leads nowhere.
    #[error("the {part} names the field `{field}`, which is not in the table")]
    UnknownField {
        /// Which part of the definition.
        part: &'static str,
        /// The dotted path.
        field: String,
    },
}

impl TableDefinition {
    /// A table of these columns and nothing else.
    pub const fn of_columns(columns: Vec<Column>) -> Self {
        Self {
            comment: None,
            columns,
            properties: Properties::new(),
            distribution: Distribution::NONE,
            sort_orders: Vec::new(),
            partitioning: Vec::new(),
            indexes: Vec::new(),
        }
    }

    /// Checks what holds for tables of every provider.
    ///
    /// # Errors
    /// [`DefinitionError`] with the first thing found wrong.
    pub fn check(&self) -> Result<(), DefinitionError> {
        let mut counting: Option<&str> = None;
        for (position, column) in self.columns.iter().enumerate() {
            column.check()?;
            if self
                .columns
                .iter()
                .take(position)
                .any(|earlier| earlier.name == column.name)
            {
                return Err(DefinitionError::DuplicateColumn(column.name.clone()));
            }
            if column.auto_increment {
                if let Some(first) = counting {
                    return Err(DefinitionError::AutoIncrement(
                        first.to_owned(),
                        column.name.clone(),
                    ));
                }
                counting = Some(&column.name);
            }
        }
        let references = self
            .partitioning
            .iter()
            .flat_map(|transform| {
                transform
                    .fields()
                    .into_iter()
                    .map(|field| ("partitioning", field))
            })
            .chain(
                self.sort_orders
                    .iter()
                    .flat_map(|order| order.term.fields().into_iter().map(|field| ("sort order", field))),
            )
            .chain(
                self.distribution
                    .expressions
                    .iter()
                    .flat_map(|by| by.fields().into_iter().map(|field| ("distribution", field))),
            )
            .chain(
                self.indexes
                    .iter()
                    .flat_map(|index| index.fields.iter().map(|field| ("index", field))),
            );
        for (part, field) in references {
            if self.find(field).is_none() {
                return Err(DefinitionError::UnknownField {
                    part,
                    field: field.join("."),
                });
            }
        }
        Ok(())
    }

    /// The type at a path: a column, then members of structs. Names are compared exactly.
    pub fn find(&self, path: &FieldPath) -> Option<&DataType> {
        let (first, rest) = path.split_first()?;
        let column = self.columns.iter().find(|column| &column.name == first)?;
        rest.iter()
            .try_fold(&column.data_type, |within, name| match within {
                DataType::Struct(fields) => fields
                    .iter()
                    .find(|field| &field.name == name)
                    .map(|field| &field.data_type),
                DataType::List { element, .. } if name == "element" => Some(element.as_ref()),
                DataType::Map { key, .. } if name == "key" => Some(key.as_ref()),
                DataType::Map { value, .. } if name == "value" => Some(value.as_ref()),
                DataType::List { .. }
                | DataType::Map { .. }
                | DataType::Boolean
                | DataType::Byte
                | DataType::ByteUnsigned
                | DataType::Short
                | DataType::ShortUnsigned
                | DataType::Integer
                | DataType::IntegerUnsigned
                | DataType::Long
                | DataType::LongUnsigned
                | DataType::Float
                | DataType::Double
                | DataType::Decimal { .. }
                | DataType::Date
                | DataType::Time(_)
                | DataType::Timestamp(_)
                | DataType::TimestampTz(_)
                | DataType::IntervalYear
                | DataType::IntervalDay
                | DataType::String
                | DataType::Char(_)
                | DataType::VarChar(_)
                | DataType::Uuid
                | DataType::Fixed(_)
                | DataType::Binary
                | DataType::Geometry(_)
                | DataType::Geography { .. }
                | DataType::Variant
                | DataType::Null
                | DataType::Union(_)
                | DataType::Unparsed(_)
                | DataType::External(_) => None,
            })
    }
}

#[cfg(test)]
mod tests;
