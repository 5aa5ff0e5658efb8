// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The policies that each table is tried with.

use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::literal::Literal;
use lakeward_read_restrictions::predicate::{Comparison, Predicate};
use lakeward_read_restrictions::restrictions::{ReadRestrictions, RequiredColumnProjection};
use lakeward_read_restrictions::value::Value;

use crate::choices::Choices;
use crate::tables::{Row, Table};

/// Restrictions with a name that a report can show.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    pub(crate) about: String,
    pub(crate) restrictions: ReadRestrictions,
}

/// Random filters with random masks, beside one policy for each kind.
const MIXED: usize = 16;

/// All policies of a table: none, constant false, each kind of predicate, each mask on all that it applies to, the
/// masks with a filter on what they hide, and mixtures.
pub(crate) fn of_table(number: usize, table: &Table) -> Vec<Policy> {
    let version = table.current();
    let mut maker = Maker {
        fields: &version.fields,
        rows: &version.rows,
        choices: Choices::of_seed(u64::try_from(9000 + number).unwrap()),
    };
    let mut policies = vec![policy("none", None, Vec::new())];
    policies.push(policy("false", Some(Predicate::Constant(false)), Vec::new()));
    for kind in 0..Maker::KINDS {
        if let Some(predicate) = maker.leaf(kind) {
            policies.push(policy("one predicate", Some(predicate), Vec::new()));
        }
    }
    for depth in [1, 1, 2, 3] {
        let predicate = maker.tree(depth);
        policies.push(policy("combined", predicate, Vec::new()));
    }
    for action in MaskAction::ALL {
        let masks = maker.everywhere(action);
        if masks.is_empty() {
            continue;
        }
        let hidden = masks[maker.choices.below(masks.len())].field_id;
        let filter = maker.comparison(Some(hidden)).or_else(|| maker.tree(1));
        policies.push(policy(action.as_str(), None, masks.clone()));
        policies.push(policy(&format!("{action} under a filter"), filter, masks));
    }
    for _ in 0..MIXED {
        let (depth, masks) = (maker.choices.below(3), maker.mixed());
        let filter = maker.tree(depth);
        policies.push(policy("mixed", filter, masks));
    }
    policies
}

fn policy(about: &str, filter: Option<Predicate>, masks: Vec<RequiredColumnProjection>) -> Policy {
    Policy {
        about: about.to_owned(),
        restrictions: ReadRestrictions::combine(filter, masks).unwrap(),
    }
}

struct Maker<'a> {
    fields: &'a [Field],
    rows: &'a [Row],
    choices: Choices,
}

impl Maker<'_> {
    const KINDS: usize = 11;

    /// A predicate of one kind on a random field; `None` when nothing in the table suits it.
    fn leaf(&mut self, kind: usize) -> Option<Predicate> {
        let field = self.fields[self.choices.below(self.fields.len())].id;
        let compare = |comparison, (field, literal)| Predicate::Compare {
            comparison,
            field,
            literal,
        };
        Some(match kind {
            0 => Predicate::IsNull { field },
            1 => Predicate::NotNull { field },
            2 => compare(Comparison::Eq, self.literal(None)?),
            3 => compare(Comparison::NotEq, self.literal(None)?),
            4 => compare(Comparison::Lt, self.literal(None)?),
            5 => compare(Comparison::LtEq, self.literal(None)?),
            6 => compare(Comparison::Gt, self.literal(None)?),
            7 => compare(Comparison::GtEq, self.literal(None)?),
            8 => self.list()?,
            9 => Predicate::Not(Box::new(self.list()?)),
            _ => Predicate::Not(Box::new(self.comparison(None)?)),
        })
    }

    fn tree(&mut self, depth: usize) -> Option<Predicate> {
        if depth == 0 {
            let kind = self.choices.below(Self::KINDS);
            return self.leaf(kind);
        }
        let children: Vec<Predicate> = (0..2 + self.choices.below(2))
            .filter_map(|_| self.tree(depth - 1))
            .collect();
        if children.len() < 2 {
            return children.into_iter().next();
        }
        Some(match self.choices.below(4) {
            0 => Predicate::And(children),
            3 => Predicate::Not(Box::new(Predicate::Or(children))),
            _ => Predicate::Or(children),
        })
    }

    fn comparison(&mut self, field: Option<i32>) -> Option<Predicate> {
        let comparison = self.choices.one_of(&[
            Comparison::NotEq,
            Comparison::Lt,
            Comparison::LtEq,
            Comparison::Gt,
            Comparison::GtEq,
        ]);
        let (field, literal) = self.literal(field)?;
        Some(Predicate::Compare {
            comparison,
            field,
            literal,
        })
    }

    fn list(&mut self) -> Option<Predicate> {
        let (field, first) = self.literal(None)?;
        let mut values = vec![first];
        for _ in 0..self.choices.below(4) {
            let (_, literal) = self.literal(Some(field))?;
            if !values.contains(&literal) {
                values.push(literal);
            }
        }
        Some(Predicate::In { field, values })
    }

    /// A value that occurs in the field, or in a random one.
    fn literal(&mut self, field: Option<i32>) -> Option<(i32, Literal)> {
        for _ in 0..40 {
            let at = match field {
                Some(id) => self.fields.iter().position(|field| field.id == id)?,
                None => self.choices.below(self.fields.len()),
            };
            if self.rows.is_empty() {
                return None;
            }
            let row = self.choices.below(self.rows.len());
            if let Some(literal) = literal_of(&self.rows[row][at]) {
                return Some((self.fields[at].id, literal));
            }
        }
        None
    }

    /// The mask on every field that it applies to, `id` excepted, by which rows are told apart.
    fn everywhere(&self, action: MaskAction) -> Vec<RequiredColumnProjection> {
        self.fields
            .iter()
            .filter(|field| field.name != "id" && action.applies_to(field).is_ok())
            .map(|field| RequiredColumnProjection {
                field_id: field.id,
                action,
            })
            .collect()
    }

    fn mixed(&mut self) -> Vec<RequiredColumnProjection> {
        let mut masks = Vec::new();
        for field in self.fields {
            let fitting: Vec<MaskAction> = MaskAction::ALL
                .into_iter()
                .filter(|action| action.applies_to(field).is_ok())
                .collect();
            let masked = self.choices.chance(if field.name == "id" { 8 } else { 45 });
            if masked && !fitting.is_empty() {
                masks.push(RequiredColumnProjection {
                    field_id: field.id,
                    action: self.choices.one_of(&fitting),
                });
            }
        }
        masks
    }
}

/// The value as a literal of a filter; not all types have one.
pub(crate) fn literal_of(value: &Value) -> Option<Literal> {
    Some(match value {
        Value::Boolean(value) => Literal::Boolean(*value),
        Value::Int(value) => Literal::Int(*value),
        Value::Long(value) => Literal::Long(*value),
        Value::Float(value) if value.is_finite() => Literal::Float(*value),
        Value::Double(value) if value.is_finite() => Literal::Double(*value),
        Value::Decimal {
            unscaled,
            precision,
            scale,
        } => Literal::Decimal {
            unscaled: *unscaled,
            precision: *precision,
            scale: *scale,
        },
        Value::Date(value) => Literal::Date(*value),
        Value::Time(value) => Literal::Time(*value),
        Value::Timestamp(value) => Literal::Timestamp(*value),
        Value::String(value) => Literal::String(value.clone()),
        _ => return None,
    })
}
