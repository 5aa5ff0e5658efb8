// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `a || b`, which doubles with each name that stands for another: as a function, since only functions are counted.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::{DFSchema, Result, exec_err};
use datafusion::functions_nested::planner::NestedFunctionPlanner;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    ColumnarValue, Expr, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr::PhysicalExpr as _;
use datafusion::physical_expr::expressions::{BinaryExpr, Column};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use super::{QueryMemory, estimate};

/// Makes functions of `||`.
#[derive(Debug)]
pub(in crate::session) struct Concatenation(pub(in crate::session) QueryMemory);

impl ExprPlanner for Concatenation {
    fn plan_binary_op(&self, expr: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        if expr.op != BinaryOperator::StringConcat {
            return Ok(PlannerResult::Original(expr));
        }
        // Of lists the engine has functions.
        match NestedFunctionPlanner.plan_binary_op(expr, schema)? {
            PlannerResult::Planned(Expr::ScalarFunction(function)) => {
                Ok(PlannerResult::Planned(Expr::ScalarFunction(ScalarFunction {
                    func: self.0.counted_if_growing(function.func),
                    args: function.args,
                })))
            }
            PlannerResult::Planned(other) => Ok(PlannerResult::Planned(other)),
            PlannerResult::Original(RawBinaryExpr { left, right, .. }) => {
                let inner = Arc::new(ScalarUDF::new_from_impl(TextConcatenation::new()));
                Ok(PlannerResult::Planned(Expr::ScalarFunction(ScalarFunction {
                    func: self.0.counted(inner, estimate::together),
                    args: vec![left, right],
                })))
            }
        }
    }
}

/// The engine's own operator.
#[derive(Debug)]
struct TextConcatenation {
    signature: Signature,
}

impl TextConcatenation {
    fn new() -> Self {
        Self {
            signature: Signature::user_defined(Volatility::Immutable),
        }
    }
}

impl PartialEq for TextConcatenation {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for TextConcatenation {}

impl Hash for TextConcatenation {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl ScalarUDFImpl for TextConcatenation {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn name(&self) -> &str {
        "||"
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        match args {
            [left, right] => Ok(format!("{} || {}", left.schema_name(), right.schema_name())),
            _ => exec_err!("`||` stands between two values"),
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [left, right] = types else {
            return exec_err!("`||` stands between two values");
        };
        let (left, right) = BinaryTypeCoercer::new(left, &Operator::StringConcat, right).get_input_types()?;
        Ok(vec![left, right])
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let [left, right] = types else {
            return exec_err!("`||` stands between two values");
        };
        BinaryTypeCoercer::new(left, &Operator::StringConcat, right).get_result_type()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let is_same = args
            .args
            .iter()
            .all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let rows = if is_same { 1 } else { rows };
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let columns = columns
            .into_iter()
            .zip(&args.args)
            .map(|(column, argument)| match argument {
                ColumnarValue::Scalar(value) => value.to_array_of_size(rows),
                ColumnarValue::Array(_) => Ok(column),
            })
            .collect::<Result<Vec<_>>>()?;
        let fields: Vec<Field> = columns
            .iter()
            .map(|column| Field::new("", column.data_type().clone(), true))
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)?;
        let operator = BinaryExpr::new(
            Arc::new(Column::new("", 0)),
            Operator::StringConcat,
            Arc::new(Column::new("", 1)),
        );
        let joined = operator.evaluate(&batch)?.into_array(rows)?;
        if is_same {
            return datafusion::common::ScalarValue::try_from_array(&joined, 0).map(ColumnarValue::Scalar);
        }
        Ok(ColumnarValue::Array(joined))
    }
}
