// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Names and types of a view's columns, as its schema says.
//!
//! Tables change after a view was made. What still fits is shown under the view's names and with its types; where a
//! value could be cut or a column could have moved, the view is refused.

use arrow::datatypes::{DataType, Field};
use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, cast};
use iceberg::arrow::schema_to_arrow_schema;
use iceberg::spec::Schema;

use super::operators::Kind;

/// The plan with the columns of the schema. `by_name` asks that the names are the schema's already, as they must be
/// where the columns are those of a `*`.
///
/// # Errors
/// What does not fit.
pub(crate) fn fitted(
    plan: LogicalPlan,
    schema: &Schema,
    by_name: bool,
    ignore_case: bool,
) -> Result<LogicalPlan, String> {
    let wanted = schema_to_arrow_schema(schema).map_err(|cause| cause.to_string())?;
    let given = plan.schema();
    if given.fields().len() != wanted.fields().len() {
        return Err(format!(
            "it gives {} columns now and was made with {}; make it anew",
            given.fields().len(),
            wanted.fields().len()
        ));
    }
    let columns = given
        .iter()
        .zip(wanted.fields())
        .map(|((qualifier, given), wanted)| {
            let same_name = given.name() == wanted.name()
                || ignore_case && given.name().to_lowercase() == wanted.name().to_lowercase();
            if by_name && !same_name {
                return Err(format!(
                    "it has the column `{}` where it was made with `{}`, and takes its columns from `*`; make it anew",
                    given.name(),
                    wanted.name()
                ));
            }
            let column = Expr::Column(Column::new(qualifier.cloned(), given.name()));
            Ok(converted(column, given, wanted)?.alias(wanted.name()))
        })
        .collect::<Result<Vec<Expr>, String>>()?;
    LogicalPlanBuilder::from(plan)
        .project(columns)
        .and_then(LogicalPlanBuilder::build)
        .map_err(|cause| cause.strip_backtrace())
}

/// The column in the type that the schema says, if no value can be cut on the way. A number that is too large fails.
fn converted(column: Expr, given: &Field, wanted: &Field) -> Result<Expr, String> {
    let (from, to) = (given.data_type(), wanted.data_type());
    let converts = match (from, to) {
        (DataType::Null, _)
        | (DataType::Int32 | DataType::Int64, DataType::Int32 | DataType::Int64)
        | (DataType::Float32, DataType::Float64) => true,
        (DataType::Decimal128(_, from), DataType::Decimal128(_, to)) => from == to,
        (_, _) => false,
    };
    let both_text = Kind::of(from) == Kind::Text && Kind::of(to) == Kind::Text;
    if both_text || same_shape(from, to) {
        Ok(column)
    } else if converts {
        Ok(cast(column, to.clone()))
    } else {
        Err(format!(
            "its column `{}` is of type {from} now and was made as {to}; make it anew",
            wanted.name()
        ))
    }
}

/// The same type, whatever field ids and whatever may be null.
fn same_shape(one: &DataType, other: &DataType) -> bool {
    let fields = |one: &Field, other: &Field| {
        one.name() == other.name() && same_shape(one.data_type(), other.data_type())
    };
    match (one, other) {
        (DataType::Struct(one), DataType::Struct(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| fields(one, other))
        }
        (DataType::List(one), DataType::List(other)) => same_shape(one.data_type(), other.data_type()),
        (DataType::Map(one, _), DataType::Map(other, _)) => same_shape(one.data_type(), other.data_type()),
        (one, other) => one == other,
    }
}
