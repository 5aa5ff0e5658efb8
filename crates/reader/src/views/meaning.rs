// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Whether a view means here what it means in its dialect, for the types that its tables have today.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "plans and expressions of the engine are an open set; what is not named here is refused"
)]

use arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::{
    AggregateFunction, Between, BinaryExpr, Case, Cast, InList, InSubquery, Like,
};
use datafusion::logical_expr::{Distinct, Expr, ExprSchemable, LogicalPlan, Operator};

use super::dialect::ViewDialect;
use super::operators::{Kind, aggregable, alike, castable, comparable, computable, groupable, orderable};

/// Checks a plan as it was made of the view's text, before the engine adds conversions of its own.
///
/// # Errors
/// The first construct that does not mean the same.
pub(crate) fn check(plan: &LogicalPlan, dialect: ViewDialect) -> Result<(), String> {
    let mut found = Ok(());
    let visited = plan.apply_with_subqueries(|node| {
        found = node_means_the_same(node, dialect);
        Ok(if found.is_ok() {
            TreeNodeRecursion::Continue
        } else {
            TreeNodeRecursion::Stop
        })
    });
    visited.map_err(|cause| cause.strip_backtrace())?;
    found
}

fn node_means_the_same(node: &LogicalPlan, dialect: ViewDialect) -> Result<(), String> {
    let by_code_points = dialect.orders_text_by_code_points();
    let columns = |schema: &DFSchema| {
        schema
            .fields()
            .iter()
            .try_for_each(|field| groupable(field.data_type()))
    };
    match node {
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::TableScan(_)
        | LogicalPlan::EmptyRelation(_)
        | LogicalPlan::Limit(_) => {}
        LogicalPlan::Aggregate(aggregate) => {
            for key in &aggregate.group_expr {
                groupable(&type_of(key, aggregate.input.schema())?)?;
            }
        }
        LogicalPlan::Sort(sort) => {
            for key in &sort.expr {
                orderable(&type_of(&key.expr, sort.input.schema())?, by_code_points)?;
            }
        }
        LogicalPlan::Distinct(Distinct::All(input)) => columns(input.schema())?,
        LogicalPlan::Join(join) => {
            for (left, right) in &join.on {
                let left = type_of(left, join.left.schema())?;
                comparable(&left, &type_of(right, join.right.schema())?)?;
            }
        }
        LogicalPlan::Union(union) => {
            let mut inputs = union.inputs.iter();
            if let Some(first) = inputs.next() {
                for input in inputs {
                    for (one, other) in first.schema().fields().iter().zip(input.schema().fields()) {
                        alike(one.data_type(), other.data_type())?;
                    }
                }
            }
        }
        other => return Err(format!("`{}`", other.display())),
    }
    let mut schema = DFSchema::empty();
    for input in node.inputs() {
        schema.merge(input.schema());
    }
    let mut found = Ok(());
    let each = |expression: &Expr| {
        let visited = expression.apply(|inner| {
            found = expression_means_the_same(inner, &schema, dialect);
            Ok(if found.is_ok() {
                TreeNodeRecursion::Continue
            } else {
                TreeNodeRecursion::Stop
            })
        })?;
        Ok::<_, DataFusionError>(visited)
    };
    node.apply_expressions(each)
        .map_err(|cause| cause.strip_backtrace())?;
    found
}

fn type_of(expression: &Expr, schema: &DFSchema) -> Result<DataType, String> {
    expression
        .get_type(schema)
        .map_err(|cause| cause.strip_backtrace())
}

fn expression_means_the_same(
    expression: &Expr,
    schema: &DFSchema,
    dialect: ViewDialect,
) -> Result<(), String> {
    let type_of = |expression: &Expr| type_of(expression, schema);
    let by_code_points = dialect.orders_text_by_code_points();
    let all_alike = |expressions: &mut dyn Iterator<Item = &Expr>| {
        let mut first: Option<DataType> = None;
        for one in expressions {
            let data_type = type_of(one)?;
            match &first {
                Some(known) => alike(known, &data_type)?,
                None => first = Some(data_type),
            }
        }
        Ok::<(), String>(())
    };
    match expression {
        Expr::Column(_)
        | Expr::OuterReferenceColumn(..)
        | Expr::Alias(_)
        | Expr::Exists(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_) => Ok(()),
        Expr::Not(inner)
        | Expr::IsTrue(inner)
        | Expr::IsFalse(inner)
        | Expr::IsNotTrue(inner)
        | Expr::IsNotFalse(inner) => of_kind(&type_of(inner)?, Kind::Boolean),
        Expr::Literal(value, _) => match value {
            // Elsewhere `1.5` is a decimal.
            ScalarValue::Float64(_) if dialect != ViewDialect::DataFusion => {
                Err("a number with a fraction; write `CAST(… AS DECIMAL(p, s))` of an integer".to_owned())
            }
            other if Kind::of(&other.data_type()) == Kind::Other => Err(format!("the literal `{other}`")),
            _ => Ok(()),
        },
        Expr::Negative(inner) => match inner.as_ref() {
            Expr::Literal(..) => Ok(()),
            _ => Err("the sign `-` before an expression".to_owned()),
        },
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            binary(&type_of(left)?, *op, &type_of(right)?, by_code_points)
        }
        Expr::Between(Between { expr, low, high, .. }) => {
            let data_type = type_of(expr)?;
            orderable(&data_type, by_code_points)?;
            comparable(&data_type, &type_of(low)?)?;
            comparable(&data_type, &type_of(high)?)
        }
        Expr::InList(InList { expr, list, .. }) => {
            let data_type = type_of(expr)?;
            list.iter()
                .try_for_each(|value| comparable(&data_type, &type_of(value)?))
        }
        Expr::InSubquery(InSubquery {
            expr,
            subquery,
            negated: false,
        }) => {
            let data_type = type_of(expr)?;
            match subquery.subquery.schema().fields().first() {
                Some(field) => comparable(&data_type, field.data_type()),
                None => Err("`IN` with a query without columns".to_owned()),
            }
        }
        Expr::Like(Like {
            expr,
            escape_char: None,
            case_insensitive: false,
            ..
        }) => of_kind(&type_of(expr)?, Kind::Text),
        Expr::Case(Case {
            expr,
            when_then_expr,
            else_expr,
        }) => {
            for (when, _) in when_then_expr {
                match expr {
                    Some(operand) => comparable(&type_of(operand)?, &type_of(when)?)?,
                    None => of_kind(&type_of(when)?, Kind::Boolean)?,
                }
            }
            let results = when_then_expr.iter().map(|(_, then)| then.as_ref());
            all_alike(&mut results.chain(else_expr.as_deref()))
        }
        Expr::Cast(Cast { expr, data_type: to }) => {
            match expr.as_ref() {
                // Of the one form that the text may have.
                Expr::Literal(_, _) if *to == DataType::Date32 => Ok(()),
                Expr::Literal(ScalarValue::Int64(Some(number)), _) if number_fits(*number, to) => Ok(()),
                _ => castable(&type_of(expr)?, to),
            }
        }
        Expr::ScalarFunction(call) => {
            let types = call.args.iter().map(type_of).collect::<Result<Vec<_>, _>>()?;
            scalar(call.name(), &call.args, &types)
        }
        Expr::AggregateFunction(AggregateFunction { func, params }) => {
            if params.filter.is_some() || !params.order_by.is_empty() || params.null_treatment.is_some() {
                return Err(format!("a modifier of `{}`", func.name()));
            }
            for arg in &params.args {
                let data_type = type_of(arg)?;
                aggregable(func.name(), &data_type, by_code_points)?;
                if params.distinct {
                    groupable(&data_type)?;
                }
            }
            Ok(())
        }
        other => Err(format!("`{other}`")),
    }
}

fn of_kind(data_type: &DataType, kind: Kind) -> Result<(), String> {
    let is = Kind::of(data_type);
    if is == kind || is == Kind::Null {
        Ok(())
    } else {
        Err(format!("a value of type {data_type} in place of another type"))
    }
}

fn binary(left: &DataType, operator: Operator, right: &DataType, by_code_points: bool) -> Result<(), String> {
    match operator {
        Operator::And | Operator::Or => {
            of_kind(left, Kind::Boolean)?;
            of_kind(right, Kind::Boolean)
        }
        Operator::Eq | Operator::NotEq | Operator::IsDistinctFrom | Operator::IsNotDistinctFrom => {
            comparable(left, right)
        }
        Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => {
            orderable(left, by_code_points)?;
            comparable(left, right)
        }
        Operator::Plus | Operator::Minus => computable(left, right, false),
        Operator::Multiply => computable(left, right, true),
        other => Err(format!("the operator `{other}`")),
    }
}

/// Whether a literal has no more digits than a decimal type, whatever integer type it has elsewhere.
fn number_fits(number: i64, to: &DataType) -> bool {
    match to {
        DataType::Decimal128(precision, scale) => {
            let digits = i16::from(*precision) - i16::from(*scale);
            let written = number.unsigned_abs().to_string().len();
            i16::try_from(written).is_ok_and(|written| written <= digits)
        }
        _ => false,
    }
}

/// A whole number that the text gives.
fn literal(expression: Option<&Expr>) -> Option<i64> {
    match expression {
        Some(Expr::Literal(ScalarValue::Int64(number), _)) => *number,
        _ => None,
    }
}

fn scalar(name: &str, args: &[Expr], types: &[DataType]) -> Result<(), String> {
    match (name, types) {
        ("coalesce", [first, rest @ ..]) => rest.iter().try_for_each(|other| alike(first, other)),
        ("nullif", [left, right]) => comparable(left, right),
        // The operator, which the engine plans as a function here so that its results are counted.
        ("||", [left, right]) => {
            of_kind(left, Kind::Text)?;
            of_kind(right, Kind::Text)
        }
        ("character_length", [text]) => of_kind(text, Kind::Text),
        ("substr", [text, _]) | ("substr", [text, _, _]) => {
            of_kind(text, Kind::Text)?;
            let counted = args.len() == 2 || literal(args.get(2)).is_some_and(|length| length >= 0);
            if literal(args.get(1)).is_some_and(|start| start >= 1) && counted {
                Ok(())
            } else {
                Err("`substring` whose bounds are not numbers from 1 on".to_owned())
            }
        }
        ("date_part", [_, DataType::Date32]) => Ok(()),
        (_, _) => Err(format!("the function `{name}` of these types")),
    }
}
