// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The form of a view that is expanded: clauses and expressions that every dialect has, with nothing that this engine
//! would pass over. What they mean for the types at hand is looked at later ([`super::meaning`]).

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the syntax of the parser is an open set; what is not named here is refused"
)]

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CastKind, DataType, DateTimeField, Distinct, Expr, GroupByExpr, Ident, Join,
    JoinConstraint, JoinOperator, LimitClause, OrderBy, OrderByKind, Query, Select, SelectFlavor, SelectItem,
    SetExpr, SetOperator, SetQuantifier, Statement, TableFactor, TableWithJoins, UnaryOperator, Value, Visit,
    Visitor, WildcardAdditionalOptions,
};

use super::calls::{called, cast_target, iso_date};

/// What the form of a query says about its output.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// Whether columns come from a `*`, so that they are those that tables have today.
    pub(crate) has_wildcard: bool,
}

/// Checks the form of a view.
///
/// # Errors
/// The first construct that is not in the subset.
pub(crate) fn check(statement: &Statement) -> Result<Form, String> {
    let Statement::Query(_) = statement else {
        return Err("a statement that is no query".to_owned());
    };
    let mut form = Form::default();
    match statement.visit(&mut Checker { form: &mut form }) {
        ControlFlow::Continue(()) => Ok(form),
        ControlFlow::Break(construct) => Err(construct),
    }
}

struct Checker<'a> {
    form: &'a mut Form,
}

pub(super) type Checked = ControlFlow<String>;

pub(super) fn refuse(construct: impl Into<String>) -> Checked {
    ControlFlow::Break(construct.into())
}

/// Refuses a clause that is there.
pub(super) fn absent(is_there: bool, clause: &str) -> Checked {
    if is_there {
        refuse(clause)
    } else {
        ControlFlow::Continue(())
    }
}

impl Visitor for Checker<'_> {
    type Break = String;

    fn pre_visit_query(&mut self, query: &Query) -> Checked {
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if let Some(with) = with {
            absent(with.recursive, "`WITH RECURSIVE`")?;
            for cte in &with.cte_tables {
                absent(
                    cte.from.is_some() || cte.materialized.is_some(),
                    "a modifier of `WITH`",
                )?;
            }
        }
        absent(fetch.is_some(), "`FETCH`")?;
        absent(!locks.is_empty() || for_clause.is_some(), "`FOR` behind a query")?;
        absent(
            settings.is_some() || format_clause.is_some(),
            "`SETTINGS` or `FORMAT`",
        )?;
        absent(!pipe_operators.is_empty(), "`|>`")?;
        if let Some(order_by) = order_by {
            self.order_by(order_by)?;
        }
        if let Some(limit) = limit_clause {
            limit_of(limit, order_by.is_some())?;
        }
        self.body(body)
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Checked {
        match factor {
            TableFactor::Table {
                name,
                alias: _,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                index_hints,
            } => {
                absent(args.is_some(), &format!("the table function `{name}`"))?;
                absent(version.is_some(), "time travel")?;
                absent(sample.is_some(), "`TABLESAMPLE`")?;
                absent(
                    !with_hints.is_empty()
                        || *with_ordinality
                        || !partitions.is_empty()
                        || json_path.is_some()
                        || !index_hints.is_empty(),
                    &format!("what stands behind the table `{name}`"),
                )?;
                absent(
                    name.0.iter().any(|part| part.as_ident().is_none()),
                    "a function in place of a table's name",
                )
            }
            TableFactor::Derived {
                lateral,
                subquery: _,
                alias: _,
                sample,
            } => {
                absent(*lateral, "`LATERAL`")?;
                absent(sample.is_some(), "`TABLESAMPLE`")
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                absent(alias.is_some(), "an alias of joined tables")?;
                self.joins(table_with_joins)
            }
            TableFactor::UNNEST { .. } => refuse("`UNNEST`"),
            TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => refuse("`PIVOT`"),
            TableFactor::MatchRecognize { .. } => refuse("`MATCH_RECOGNIZE`"),
            _ => refuse("a table function"),
        }
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> Checked {
        match expression {
            Expr::Identifier(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsNotTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsNotFalse(_)
            | Expr::IsDistinctFrom(..)
            | Expr::IsNotDistinctFrom(..)
            | Expr::InList { .. }
            | Expr::Between { .. }
            | Expr::Nested(_)
            | Expr::Case { .. }
            | Expr::Exists { .. } => ControlFlow::Continue(()),
            Expr::CompoundIdentifier(parts) => absent(parts.len() != 2, "a name of more than two parts"),
            Expr::InSubquery { negated, .. } => absent(*negated, "`NOT IN` with a query"),
            Expr::BinaryOp { op, .. } => operator(op),
            Expr::UnaryOp { op, .. } => match op {
                UnaryOperator::Not | UnaryOperator::Minus | UnaryOperator::Plus => ControlFlow::Continue(()),
                other => refuse(format!("the operator `{other}`")),
            },
            Expr::Like {
                any,
                pattern,
                escape_char,
                negated: _,
                expr: _,
            } => {
                absent(*any || escape_char.is_some(), "`LIKE` with `ANY` or `ESCAPE`")?;
                match pattern.as_ref() {
                    Expr::Value(_) => ControlFlow::Continue(()),
                    _ => refuse("`LIKE` with a pattern that is no literal"),
                }
            }
            Expr::Cast {
                kind: CastKind::Cast | CastKind::DoubleColon,
                data_type,
                array: false,
                format: None,
                expr: _,
            } => cast_target(data_type),
            Expr::Cast { .. } => refuse("a cast other than `CAST(… AS …)`"),
            Expr::Extract { field, .. } => match field {
                DateTimeField::Year | DateTimeField::Month | DateTimeField::Day => ControlFlow::Continue(()),
                other => refuse(format!("`EXTRACT({other} …)`")),
            },
            Expr::Substring { .. } => ControlFlow::Continue(()),
            Expr::Value(value) => match &value.value {
                Value::Number(_, false) | Value::SingleQuotedString(_) | Value::Boolean(_) | Value::Null => {
                    ControlFlow::Continue(())
                }
                Value::DoubleQuotedString(_) => refuse("text in double quotes"),
                other => refuse(format!("the literal `{other}`")),
            },
            Expr::TypedString(literal) if literal.data_type == DataType::Date => {
                iso_date(&literal.value.value)
            }
            Expr::Function(function) => called(function),
            Expr::Subquery(_) => refuse("a query in place of a value"),
            Expr::Interval(_) => refuse("an interval"),
            Expr::ILike { .. } | Expr::SimilarTo { .. } | Expr::RLike { .. } => {
                refuse("a match other than `LIKE`")
            }
            other => refuse(format!("`{other}`")),
        }
    }
}

impl Checker<'_> {
    fn order_by(&self, order_by: &OrderBy) -> Checked {
        let OrderBy { kind, interpolate } = order_by;
        absent(interpolate.is_some(), "`INTERPOLATE`")?;
        let OrderByKind::Expressions(keys) = kind else {
            return refuse("`ORDER BY ALL`");
        };
        for key in keys {
            absent(key.with_fill.is_some(), "`WITH FILL`")?;
            absent(
                key.options.nulls_first.is_none(),
                "`ORDER BY` without `NULLS FIRST` or `NULLS LAST`, which dialects do differently,",
            )?;
        }
        ControlFlow::Continue(())
    }

    fn body(&mut self, body: &SetExpr) -> Checked {
        match body {
            SetExpr::Select(select) => self.select(select),
            // Visited as a query of its own.
            SetExpr::Query(_) => ControlFlow::Continue(()),
            SetExpr::SetOperation {
                op,
                set_quantifier,
                left,
                right,
            } => {
                let known = match (op, set_quantifier) {
                    (
                        SetOperator::Union,
                        SetQuantifier::All | SetQuantifier::Distinct | SetQuantifier::None,
                    )
                    | (
                        SetOperator::Intersect | SetOperator::Except,
                        SetQuantifier::Distinct | SetQuantifier::None,
                    ) => true,
                    (_, _) => false,
                };
                absent(!known, &format!("`{op} {set_quantifier}`"))?;
                self.body(left)?;
                self.body(right)
            }
            SetExpr::Values(_) => refuse("`VALUES`"),
            _ => refuse("a part that is no query"),
        }
    }

    fn select(&mut self, select: &Select) -> Checked {
        let Select {
            select_token: _,
            optimizer_hint: _,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection: _,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        absent(matches!(distinct, Some(Distinct::On(_))), "`DISTINCT ON`")?;
        absent(
            select_modifiers.is_some() || top.is_some(),
            "`TOP` or another modifier of `SELECT`",
        )?;
        absent(exclude.is_some() || into.is_some(), "`EXCLUDE` or `INTO`")?;
        absent(!lateral_views.is_empty(), "`LATERAL VIEW`")?;
        absent(
            prewhere.is_some() || !connect_by.is_empty(),
            "`PREWHERE` or `CONNECT BY`",
        )?;
        absent(
            !cluster_by.is_empty() || !distribute_by.is_empty() || !sort_by.is_empty(),
            "`CLUSTER BY`, `DISTRIBUTE BY` or `SORT BY`",
        )?;
        absent(
            !named_window.is_empty() || qualify.is_some(),
            "a window or `QUALIFY`",
        )?;
        absent(value_table_mode.is_some(), "`AS STRUCT`")?;
        absent(*flavor != SelectFlavor::Standard, "`FROM` before `SELECT`")?;
        for one in from {
            self.joins(one)?;
        }
        for item in projection {
            self.item(item)?;
        }
        let GroupByExpr::Expressions(keys, modifiers) = group_by else {
            return refuse("`GROUP BY ALL`");
        };
        absent(!modifiers.is_empty(), "a modifier of `GROUP BY`")?;
        aliases(projection, keys.iter().chain(having))
    }

    fn item(&mut self, item: &SelectItem) -> Checked {
        let options = match item {
            SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. } => return ControlFlow::Continue(()),
            SelectItem::QualifiedWildcard(_, options) | SelectItem::Wildcard(options) => options,
        };
        self.form.has_wildcard = true;
        let WildcardAdditionalOptions {
            wildcard_token: _,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
        } = options;
        absent(
            opt_ilike.is_some()
                || opt_exclude.is_some()
                || opt_except.is_some()
                || opt_replace.is_some()
                || opt_rename.is_some(),
            "what stands behind `*`",
        )
    }

    fn joins(&self, tables: &TableWithJoins) -> Checked {
        for join in &tables.joins {
            let Join {
                relation: _,
                global,
                join_operator,
            } = join;
            absent(*global, "`GLOBAL`")?;
            let constraint = match join_operator {
                JoinOperator::Join(constraint)
                | JoinOperator::Inner(constraint)
                | JoinOperator::Left(constraint)
                | JoinOperator::LeftOuter(constraint)
                | JoinOperator::Right(constraint)
                | JoinOperator::RightOuter(constraint)
                | JoinOperator::FullOuter(constraint) => constraint,
                JoinOperator::CrossJoin(JoinConstraint::None) => continue,
                _ => return refuse("a join other than `INNER`, `LEFT`, `RIGHT`, `FULL` and `CROSS`"),
            };
            match constraint {
                JoinConstraint::On(_) => {}
                JoinConstraint::Using(_) => return refuse("`USING`; write `ON`"),
                JoinConstraint::Natural => return refuse("`NATURAL`"),
                JoinConstraint::None => return refuse("a join without `ON`"),
            }
        }
        ControlFlow::Continue(())
    }
}

/// A number of rows, which means something only in an order.
fn limit_of(limit: &LimitClause, ordered: bool) -> Checked {
    absent(!ordered, "`LIMIT` without `ORDER BY`")?;
    match limit {
        LimitClause::LimitOffset {
            limit: Some(Expr::Value(_)),
            offset: None,
            limit_by,
        } if limit_by.is_empty() => ControlFlow::Continue(()),
        _ => refuse("`OFFSET`, or a `LIMIT` that is no number"),
    }
}

/// An alias that has the name of something else: dialects differ in what `GROUP BY` and `HAVING` take it for.
fn aliases<'a>(projection: &[SelectItem], clauses: impl Iterator<Item = &'a Expr>) -> Checked {
    let mut named: Vec<&Ident> = Vec::new();
    for item in projection {
        if let SelectItem::ExprWithAlias { expr, alias } = item {
            let same = match expr {
                Expr::Identifier(column) => column.value.eq_ignore_ascii_case(&alias.value),
                _ => false,
            };
            if !same {
                named.push(alias);
            }
        }
    }
    for clause in clauses {
        let mut uses = AliasUses { named: &named };
        clause.visit(&mut uses)?;
    }
    ControlFlow::Continue(())
}

struct AliasUses<'a> {
    named: &'a [&'a Ident],
}

impl Visitor for AliasUses<'_> {
    type Break = String;

    fn pre_visit_expr(&mut self, expression: &Expr) -> Checked {
        let Expr::Identifier(name) = expression else {
            return ControlFlow::Continue(());
        };
        let is_alias = self
            .named
            .iter()
            .any(|alias| alias.value.eq_ignore_ascii_case(&name.value));
        absent(is_alias, &format!("the alias `{name}` in `GROUP BY` or `HAVING`"))
    }
}

fn operator(operator: &BinaryOperator) -> Checked {
    match operator {
        BinaryOperator::And
        | BinaryOperator::Or
        | BinaryOperator::Eq
        | BinaryOperator::NotEq
        | BinaryOperator::Lt
        | BinaryOperator::LtEq
        | BinaryOperator::Gt
        | BinaryOperator::GtEq
        | BinaryOperator::Plus
        | BinaryOperator::Minus
        | BinaryOperator::Multiply
        | BinaryOperator::StringConcat => ControlFlow::Continue(()),
        BinaryOperator::Divide => {
            refuse("the division `/`, of which dialects give other results for integers and zero,")
        }
        other => refuse(format!("the operator `{other}`")),
    }
}
