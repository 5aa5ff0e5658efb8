// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Statements with parameters. A parameter is a value: it takes the place of its placeholder in the plan and never
//! becomes part of the text, so it can name no table and end no string.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef as ArrowSchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::common::metadata::ScalarAndMetadata;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::common::{ParamValues, ScalarValue};
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr as PlannedExpr, LogicalPlan};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::{Expr, Value, Visit, VisitMut, Visitor, VisitorMut};
use datafusion::sql::sqlparser::tokenizer::Location;

use super::contained::contained;
use super::{Planned, RunningQuery, Session, TableUse, execute, query_error};
use crate::error::ReaderError;
use crate::text_views::outside;

/// The most parameters of a statement.
const MOST: usize = 4096;

/// What a statement takes and gives, as its user may see it at the moment.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Names and types of the columns. Types that depend on parameters without a value may be null.
    pub schema: ArrowSchemaRef,
    /// One nullable field for each parameter without a value, in order, named `$1`, `$2` and so on. A type that cannot
    /// be told is null.
    pub parameters: ArrowSchemaRef,
    /// The tables that the statement reads.
    pub tables: Vec<TableUse>,
}

impl Session {
    /// Checks one `SELECT` as its user, and runs nothing. Parameters are `?`, in their order, or `$1`, `$2` and so on.
    /// Their values are the columns of the one row of `parameters`; without it they stay open.
    ///
    /// # Errors
    /// As [`Self::start_with`], except that values may be missing altogether.
    pub async fn prepare(
        &self,
        sql: &str,
        parameters: Option<&RecordBatch>,
    ) -> Result<Prepared, ReaderError> {
        contained(self.preparation(sql, parameters)).await
    }

    async fn preparation(
        &self,
        sql: &str,
        parameters: Option<&RecordBatch>,
    ) -> Result<Prepared, ReaderError> {
        let (state, Planned { plan, tables }) = self.plan(sql).await?;
        let taken = parameters_of(&plan)?;
        let plan = match parameters {
            Some(row) => bound(plan, &taken, row)?,
            None => plan,
        };
        let open = match parameters {
            Some(_) => Schema::empty(),
            None => taken,
        };
        Ok(Prepared {
            schema: schema_of(&state, &plan)?,
            parameters: Arc::new(outside(&open)),
            tables,
        })
    }

    /// As [`Self::start`], with the values of the statement's parameters: the columns of one row, in order.
    ///
    /// # Errors
    /// [`ReaderError::Statement`] for values that are missing or too many; else as [`Self::start`].
    pub async fn start_with(
        &self,
        sql: &str,
        parameters: Option<&RecordBatch>,
    ) -> Result<RunningQuery, ReaderError> {
        contained(self.begin(sql, parameters)).await
    }

    async fn begin(&self, sql: &str, parameters: Option<&RecordBatch>) -> Result<RunningQuery, ReaderError> {
        let (state, Planned { plan, tables }) = self.plan(sql).await?;
        let taken = parameters_of(&plan)?;
        let plan = match parameters {
            Some(row) => bound(plan, &taken, row)?,
            None if taken.fields().is_empty() => plan,
            None => return Err(wrong_number(taken.fields().len(), 0)),
        };
        let schema = schema_of(&state, &plan)?;
        let mut query = execute(&state, Planned { plan, tables }).await?;
        query.schema = schema;
        Ok(query)
    }
}

/// The names and types of a plan's columns. One question for preparing and for running, since what runs in the end may
/// say another way whether a column can be null, and clients compare.
fn schema_of(state: &SessionState, plan: &LogicalPlan) -> Result<ArrowSchemaRef, ReaderError> {
    let optimized = state.optimize(plan).map_err(query_error)?;
    Ok(Arc::new(outside(optimized.schema().inner())))
}

/// The parameters of a plan with their types, where these follow from their place.
fn parameters_of(plan: &LogicalPlan) -> Result<Schema, ReaderError> {
    let mut found: Vec<(String, DataType)> = Vec::new();
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            expr.apply(|expr| {
                if let PlannedExpr::Placeholder(Placeholder { id, field }) = expr {
                    let data_type = field
                        .as_ref()
                        .map_or(DataType::Null, |field| field.data_type().clone());
                    found.push((id.clone(), data_type));
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })
    .map_err(query_error)?;
    let mut types: HashMap<usize, DataType> = HashMap::new();
    for (id, data_type) in found {
        let number = id
            .strip_prefix('$')
            .and_then(|number| number.parse::<usize>().ok());
        let number = number.filter(|number| *number >= 1).ok_or_else(|| {
            ReaderError::Statement(format!(
                "the parameter `{id}` has no number; write parameters as `?`, or as `$1`, `$2` and so on"
            ))
        })?;
        if number > MOST {
            return Err(too_many());
        }
        let known = types.entry(number).or_insert(DataType::Null);
        // The first place that tells a type tells it; in others the value is converted as a literal would be.
        if known.is_null() {
            *known = data_type;
        }
    }
    let count = types.keys().copied().max().unwrap_or(0);
    let fields: Vec<Field> = (1..=count)
        .map(|number| {
            let data_type = types.remove(&number).unwrap_or(DataType::Null);
            Field::new(format!("${number}"), data_type, true)
        })
        .collect();
    Ok(Schema::new(fields))
}

/// The plan with values in place of its parameters. A value keeps its own type, so that it means what a literal of that
/// type would: a comparison converts both sides, and none is cut to the type of the other.
fn bound(plan: LogicalPlan, taken: &Schema, row: &RecordBatch) -> Result<LogicalPlan, ReaderError> {
    if row.num_rows() != 1 {
        return Err(ReaderError::Statement(format!(
            "parameters are one row, and {} were given",
            row.num_rows()
        )));
    }
    if row.num_columns() != taken.fields().len() {
        return Err(wrong_number(taken.fields().len(), row.num_columns()));
    }
    let values = row
        .columns()
        .iter()
        .map(|column| Ok(ScalarAndMetadata::from(ScalarValue::try_from_array(column, 0)?)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(query_error)?;
    plan.replace_params_with_values(&ParamValues::List(values))
        .map_err(query_error)
}

fn too_many() -> ReaderError {
    ReaderError::Statement(format!("a statement takes {MOST} parameters at most"))
}

fn wrong_number(taken: usize, given: usize) -> ReaderError {
    ReaderError::Statement(format!(
        "the statement takes {taken} parameters and {given} were given; bind one value for each"
    ))
}

/// Gives each `?` the number of its place, so that it is not taken for one parameter named `?`.
///
/// # Errors
/// [`ReaderError::Statement`] when a statement has both forms.
pub(super) fn number_placeholders(statement: &mut Statement) -> Result<(), ReaderError> {
    let inner = match statement {
        Statement::Statement(inner) => inner,
        Statement::Explain(explain) => return number_placeholders(&mut explain.statement),
        // Refused before.
        Statement::CreateExternalTable(_) | Statement::CopyTo(_) | Statement::Reset(_) => return Ok(()),
    };
    let mut found = Placeholders::default();
    let _: ControlFlow<()> = Visit::visit(inner, &mut found);
    if found.places.is_empty() {
        return Ok(());
    }
    if found.numbered {
        return Err(ReaderError::Statement(
            "the statement has parameters of both forms; write all as `?`, or all as `$1`, `$2` and so on"
                .to_owned(),
        ));
    }
    if found.places.len() > MOST {
        return Err(too_many());
    }
    // The order of the text, which is not everywhere the order of the tree.
    found.places.sort_by_key(|place| (place.line, place.column));
    let mut numbers = Numbers(found.places);
    let _: ControlFlow<()> = VisitMut::visit(inner, &mut numbers);
    Ok(())
}

/// Where a statement has `?`, and whether it has others.
#[derive(Default)]
struct Placeholders {
    places: Vec<Location>,
    numbered: bool,
}

impl Visitor for Placeholders {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Value(value) = expr
            && let Value::Placeholder(name) = &value.value
        {
            if name == "?" {
                self.places.push(value.span.start);
            } else {
                self.numbered = true;
            }
        }
        ControlFlow::Continue(())
    }
}

struct Numbers(Vec<Location>);

impl VisitorMut for Numbers {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Value(value) = expr
            && let Value::Placeholder(name) = &mut value.value
            && name == "?"
            && let Some(index) = self.0.iter().position(|place| *place == value.span.start)
        {
            *name = format!("${}", index + 1);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use datafusion::sql::parser::DFParser;

    use super::number_placeholders;

    fn numbered(sql: &str) -> Result<String, String> {
        let mut statement = DFParser::parse_sql(sql).unwrap().pop_front().unwrap();
        number_placeholders(&mut statement).map_err(|error| error.to_string())?;
        Ok(statement.to_string())
    }

    #[test]
    fn question_marks_get_their_places_in_the_text() {
        let sql = "WITH c AS (SELECT ? AS x) SELECT ?, '?', sum(?) FILTER (WHERE x > ?), CASE ? WHEN ? THEN ? ELSE ? END \
                   FROM c JOIN (SELECT ? AS z) ON x = ? WHERE x BETWEEN ? AND ? AND x IN (?, ?) \
                   GROUP BY x HAVING max(x) > ? ORDER BY ? LIMIT ? OFFSET ?";
        let mut expected = sql.to_owned();
        for number in 1..=18 {
            let at = expected.replace("'?'", "'.'").find('?').unwrap();
            expected.replace_range(at..=at, &format!("${number}"));
        }
        assert_eq!(numbered(sql).unwrap(), expected);
        let explain = numbered("EXPLAIN SELECT ? + ?").unwrap();
        assert!(explain.contains("$1 + $2"), "{explain}");
    }

    #[test]
    fn more_than_the_most_are_refused_in_both_forms() {
        let marks = |count: usize| format!("SELECT {}", vec!["?"; count].join(", "));
        assert!(numbered(&marks(super::MOST)).is_ok());
        assert!(numbered(&marks(super::MOST + 1)).unwrap_err().contains("4096"));
    }

    #[test]
    fn one_form_only() {
        assert_eq!(numbered("SELECT $2 + $1").unwrap(), "SELECT $2 + $1");
        assert!(numbered("SELECT ? + $1").unwrap_err().contains("both forms"));
    }
}
