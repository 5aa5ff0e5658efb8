// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Partitioning, sort orders and distribution between both vocabularies.

use lakeward_metadata::data_type::DataType;
use lakeward_metadata::distribution::{Distribution, DistributionStrategy};
use lakeward_metadata::expression::{Expression, FieldPath, LiteralValue};
use lakeward_metadata::partitioning::Transform;
use lakeward_metadata::sort_order::{NullOrdering, SortDirection, SortOrder};
use serde_json::{Value, json};

use crate::schema::{Schema, int32};
use crate::transform::IcebergTransform;

/// The table property that keeps the distribution.
pub(crate) const DISTRIBUTION_MODE: &str = "write.distribution-mode";

/// Makes a partition spec.
///
/// # Errors
/// Which transform Iceberg does not have, or which column does not exist.
pub(crate) fn partition_spec(partitioning: &[Transform], schema: &Schema) -> Result<Value, String> {
    let mut fields = Vec::new();
    for transform in partitioning {
        let (transform, path) = iceberg_transform(transform)?;
        fields.push(json!({
            "source-id": source(path, schema)?,
            "name": transform.default_name(&path.join(".")),
            "transform": transform.to_string(),
        }));
    }
    Ok(json!({ "fields": fields }))
}

/// Makes a sort order.
///
/// # Errors
/// Which term Iceberg does not have, or which column does not exist.
pub(crate) fn sort_order(orders: &[SortOrder], schema: &Schema) -> Result<Value, String> {
    let mut fields = Vec::new();
    for order in orders {
        let (transform, path) = sort_term(&order.term)?;
        fields.push(json!({
            "transform": transform.to_string(),
            "source-id": source(path, schema)?,
            "direction": order.direction.as_str(),
            "null-order": match order.null_ordering {
                NullOrdering::NullsFirst => "nulls-first",
                NullOrdering::NullsLast => "nulls-last",
            },
        }));
    }
    Ok(json!({ "order-id": i32::from(!fields.is_empty()), "fields": fields }))
}

/// The value of [`DISTRIBUTION_MODE`] for a new table.
///
/// # Errors
/// Why Iceberg cannot distribute so.
pub(crate) fn distribution_mode(
    distribution: &Distribution,
    is_partitioned: bool,
    is_sorted: bool,
) -> Result<&'static str, String> {
    if !distribution.expressions.is_empty() {
        return Err(format!(
            "Iceberg distributes by partition or sort order: the distribution `{}` takes no expressions",
            distribution.strategy.as_str()
        ));
    }
    match distribution.strategy {
        DistributionStrategy::None if is_sorted => Ok("range"),
        DistributionStrategy::None if is_partitioned => Ok("hash"),
        DistributionStrategy::None => Ok("none"),
        DistributionStrategy::Hash if is_partitioned => Ok("hash"),
        DistributionStrategy::Hash => {
            Err("the distribution `hash` goes by partition, and the table has no partitioning".to_owned())
        }
        DistributionStrategy::Range if is_partitioned || is_sorted => Ok("range"),
        DistributionStrategy::Range => Err(
            "the distribution `range` goes by sort order or partition, and the table has neither".to_owned(),
        ),
        DistributionStrategy::Even => Err("Iceberg has no distribution `even`".to_owned()),
    }
}

/// The distribution that the table property says.
pub(crate) fn distribution(mode: Option<&str>) -> Distribution {
    let strategy = match mode {
        Some(mode) if mode.eq_ignore_ascii_case("hash") => DistributionStrategy::Hash,
        Some(mode) if mode.eq_ignore_ascii_case("range") => DistributionStrategy::Range,
        _ => DistributionStrategy::None,
    };
    Distribution {
        strategy,
        ..Distribution::NONE
    }
}

/// Reads the fields of a partition spec. Fields that only hold the place of a dropped column are left out.
///
/// # Errors
/// Which field is not in the schema.
pub(crate) fn partitioning(fields: &[Value], schema: &Schema) -> Result<Vec<Transform>, String> {
    let mut found = Vec::new();
    for field in fields {
        let text = field.get("transform").and_then(Value::as_str).unwrap_or_default();
        let Some(transform) = IcebergTransform::parse(text) else {
            found.push(Transform::Function {
                name: text.to_owned(),
                arguments: Vec::new(),
            });
            continue;
        };
        if transform == IcebergTransform::Void {
            continue;
        }
        let path = path_of(field, schema)?;
        found.push(match transform {
            IcebergTransform::Identity | IcebergTransform::Void => Transform::Identity(path),
            IcebergTransform::Year => Transform::Year(path),
            IcebergTransform::Month => Transform::Month(path),
            IcebergTransform::Day => Transform::Day(path),
            IcebergTransform::Hour => Transform::Hour(path),
            IcebergTransform::Bucket(buckets) => Transform::Bucket {
                buckets,
                fields: vec![path],
            },
            IcebergTransform::Truncate(width) => Transform::Truncate { width, field: path },
        });
    }
    Ok(found)
}

/// Reads the fields of a sort order.
///
/// # Errors
/// Which field is not in the schema.
pub(crate) fn sort_orders(fields: &[Value], schema: &Schema) -> Result<Vec<SortOrder>, String> {
    let mut found = Vec::new();
    for field in fields {
        let text = field.get("transform").and_then(Value::as_str).unwrap_or_default();
        let path = Expression::Field(path_of(field, schema)?);
        let number = |value: u32| {
            Expression::Literal(LiteralValue {
                data_type: DataType::Integer,
                value: Some(value.to_string()),
            })
        };
        let function = |name: &str, arguments: Vec<Expression>| Expression::Function {
            name: name.to_owned(),
            arguments,
        };
        let term = match IcebergTransform::parse(text) {
            Some(IcebergTransform::Identity) => path,
            Some(IcebergTransform::Bucket(buckets)) => function("bucket", vec![number(buckets), path]),
            Some(IcebergTransform::Truncate(width)) => function("truncate", vec![number(width), path]),
            _ => function(text, vec![path]),
        };
        found.push(SortOrder {
            term,
            direction: if field.get("direction") == Some(&json!("desc")) {
                SortDirection::Descending
            } else {
                SortDirection::Ascending
            },
            null_ordering: if field.get("null-order") == Some(&json!("nulls-last")) {
                NullOrdering::NullsLast
            } else {
                NullOrdering::NullsFirst
            },
        });
    }
    Ok(found)
}

fn iceberg_transform(transform: &Transform) -> Result<(IcebergTransform, &FieldPath), String> {
    match transform {
        Transform::Identity(field) => Ok((IcebergTransform::Identity, field)),
        Transform::Year(field) => Ok((IcebergTransform::Year, field)),
        Transform::Month(field) => Ok((IcebergTransform::Month, field)),
        Transform::Day(field) => Ok((IcebergTransform::Day, field)),
        Transform::Hour(field) => Ok((IcebergTransform::Hour, field)),
        Transform::Truncate { width, field } => Ok((IcebergTransform::Truncate(*width), field)),
        Transform::Bucket { buckets, fields } => match fields.as_slice() {
            [field] => Ok((IcebergTransform::Bucket(*buckets), field)),
            _ => Err("an Iceberg bucket transform takes exactly one field".to_owned()),
        },
        Transform::List { .. } => Err("Iceberg has no partitioning by `list`".to_owned()),
        Transform::Range { .. } => Err("Iceberg has no partitioning by `range`".to_owned()),
        Transform::Function { name, .. } => Err(format!("Iceberg has no partitioning by function `{name}`")),
    }
}

fn sort_term(term: &Expression) -> Result<(IcebergTransform, &FieldPath), String> {
    match term {
        Expression::Field(path) => Ok((IcebergTransform::Identity, path)),
        Expression::Function { name, arguments } => {
            let text = match arguments.as_slice() {
                [Expression::Field(_)] => name.to_ascii_lowercase(),
                [
                    Expression::Literal(LiteralValue {
                        value: Some(number), ..
                    }),
                    Expression::Field(_),
                ] => {
                    format!("{}[{number}]", name.to_ascii_lowercase())
                }
                _ => return Err(format!("Iceberg cannot sort by `{name}` with these arguments")),
            };
            let transform = IcebergTransform::parse(&text)
                .ok_or_else(|| format!("Iceberg cannot sort by the function `{name}`"))?;
            match arguments.last() {
                Some(Expression::Field(path)) => Ok((transform, path)),
                _ => Err(format!("Iceberg cannot sort by `{name}` with these arguments")),
            }
        }
        Expression::Literal(_) | Expression::Unparsed(_) => {
            Err("Iceberg sorts by columns and transforms of columns".to_owned())
        }
    }
}

fn source(path: &FieldPath, schema: &Schema) -> Result<i32, String> {
    let path = path.join(".");
    schema
        .id_of(&path)
        .ok_or_else(|| format!("field `{path}` not found in table"))
}

/// The path of a partition or sort field's source column.
fn path_of(field: &Value, schema: &Schema) -> Result<FieldPath, String> {
    let id = field
        .get("source-id")
        .and_then(int32)
        .ok_or("a partition or sort field has no `source-id`")?;
    schema
        .path_of(id)
        .ok_or_else(|| format!("the source {id} of a partition or sort field is not in the schema"))
}
