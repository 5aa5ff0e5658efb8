// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How a table is divided.

use crate::Properties;
use crate::expression::{Expression, FieldPath, LiteralValue};

/// One rule of division; a table has any number, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transform {
    /// By the value itself.
    Identity(FieldPath),
    /// By year.
    Year(FieldPath),
    /// By month.
    Month(FieldPath),
    /// By day.
    Day(FieldPath),
    /// By hour.
    Hour(FieldPath),
    /// By a hash modulo a number.
    Bucket {
        /// How many buckets, at least one.
        buckets: u32,
        /// What is hashed; not empty.
        fields: Vec<FieldPath>,
    },
    /// By the start of a text, or a number rounded down.
    Truncate {
        /// Characters to keep, or the step of numbers; at least one.
        width: u32,
        /// What is truncated.
        field: FieldPath,
    },
    /// By listed values.
    List {
        /// What is compared; not empty.
        fields: Vec<FieldPath>,
        /// The partitions known from the start.
        assignments: Vec<ListPartition>,
    },
    /// By ranges.
    Range {
        /// What is compared.
        field: FieldPath,
        /// The partitions known from the start.
        assignments: Vec<RangePartition>,
    },
    /// By a function of the source.
    Function {
        /// Its name.
        name: String,
        /// What it is applied to.
        arguments: Vec<Expression>,
    },
}

/// A partition of a list-partitioned table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPartition {
    /// Its name.
    pub name: String,
    /// The value tuples it holds; each has one value per field.
    pub lists: Vec<Vec<LiteralValue>>,
    /// What else is known of it.
    pub properties: Properties,
}

/// A partition of a range-partitioned table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangePartition {
    /// Its name.
    pub name: String,
    /// The bound above.
    pub upper: LiteralValue,
    /// The bound below.
    pub lower: LiteralValue,
    /// What else is known of it.
    pub properties: Properties,
}

impl Transform {
    /// Every field that the transform reads.
    pub fn fields(&self) -> Vec<&FieldPath> {
        match self {
            Self::Identity(field)
            | Self::Year(field)
            | Self::Month(field)
            | Self::Day(field)
            | Self::Hour(field)
            | Self::Truncate { field, .. }
            | Self::Range { field, .. } => vec![field],
            Self::Bucket { fields, .. } | Self::List { fields, .. } => fields.iter().collect(),
            Self::Function { arguments, .. } => arguments.iter().flat_map(Expression::fields).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Transform;
    use crate::expression::Expression;

    #[test]
    fn every_transform_tells_its_fields() {
        let field = || vec!["ts".to_owned()];
        let check = |transform: Transform, expected: usize| assert_eq!(transform.fields().len(), expected);
        check(Transform::Day(field()), 1);
        check(
            Transform::Bucket {
                buckets: 4,
                fields: vec![field(), field()],
            },
            2,
        );
        check(
            Transform::Function {
                name: "to_day".to_owned(),
                arguments: vec![Expression::Field(field()), Expression::NULL],
            },
            1,
        );
    }
}
