// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Judges cases: resolves as a server does, enforces as the reference says, compares.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lakeward_governance::resolve::{Resolution, ResolutionError, ResolutionInput, Uncached, resolve};
use lakeward_governance::{Category, SubjectContext};
use lakeward_read_restrictions::action::{MaskAction, QuerySalt};
use lakeward_read_restrictions::error::ReaderError;
use lakeward_read_restrictions::evaluate::evaluate;
use lakeward_read_restrictions::field::Field;
use lakeward_read_restrictions::value::Value as FieldValue;
use serde_json::Value;
use serde_saphyr::Spanned;

use super::cells::{self, Expected, OPAQUE};
use super::facts::Given;
use super::file::{Case, ExpectedRows, Groups, TestFile};
use super::report::restrictions;
use crate::policy::malformed::Malformed;

/// A judged case.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) path: PathBuf,
    pub(super) line: u64,
    pub(super) name: String,
    /// `None` when the case passes.
    pub(super) failure: Option<Failure>,
    /// What restricts the user, in words.
    pub(super) restrictions: Vec<String>,
}

/// How a case fails.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Other rows are shown.
    Rows(Difference),
    /// The load is refused.
    Refused {
        code: &'static str,
        /// The code that was expected; `None` where rows were.
        expected: Option<String>,
        detail: String,
    },
    /// The load is not refused.
    NotRefused { expected: String, shown: Vec<String> },
}

/// What differs between expected and shown rows, each row a line.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct Difference {
    /// Expected and not shown.
    pub(super) missing: Vec<String>,
    /// Shown and not expected.
    pub(super) unexpected: Vec<String>,
    /// Values that differ between rows that seem to be the same.
    pub(super) values: Vec<String>,
}

/// A value as the user sees it.
struct Shown {
    value: FieldValue,
    /// Whether it is a digest that depends on the salt of the query.
    is_opaque: bool,
}

/// Judges every case of a file.
///
/// # Errors
/// The first thing that makes the file unusable.
pub(super) fn file(path: &Path, file: &TestFile) -> Result<Vec<Judged>, Malformed> {
    let given = Given::new(path, file)?;
    let rows = file
        .rows
        .iter()
        .map(|row| cells::row(&row.value, &given.fields).map_err(|problem| Malformed::at(path, row, problem)))
        .collect::<Result<Vec<_>, _>>()?;
    let mut groups: BTreeSet<String> = file.groups.iter().cloned().collect();
    for case in &file.cases {
        if let Groups::Known(names) = &case.value.groups {
            groups.extend(names.iter().cloned());
        }
    }
    let groups = Arc::new(groups);
    file.cases
        .iter()
        .map(|case| {
            let judge = Judge {
                path,
                given: &given,
                rows: &rows,
                case,
            };
            judge.judged(&groups)
        })
        .collect()
}

struct Judge<'a> {
    path: &'a Path,
    given: &'a Given,
    rows: &'a [Vec<FieldValue>],
    case: &'a Spanned<Case>,
}

impl Judge<'_> {
    fn judged(&self, groups: &Arc<BTreeSet<String>>) -> Result<Judged, Malformed> {
        let case = &self.case.value;
        let expected = self.expected()?;
        let compared = self.compared_columns()?;
        let salt = self.salt()?;
        let subject = SubjectContext {
            user: case.user.clone(),
            groups: match case.groups {
                Groups::Known(_) => Some(Arc::clone(groups)),
                Groups::Unknown => None,
            },
            member_of: match &case.groups {
                Groups::Known(names) => Some(names.iter().cloned().collect()),
                Groups::Unknown => None,
            },
        };
        let facts = self.given.facts(self.path, case)?;
        let input = ResolutionInput {
            subject: &subject,
            fields: &self.given.fields,
            facts: Some(&facts),
        };
        let resolved = resolve(input, &Uncached);
        let told = match &resolved {
            Ok(resolution) => restrictions(resolution, &self.given.fields),
            Err(_) => Vec::new(),
        };
        let shown = resolved.and_then(|resolution| {
            self.shown(&resolution, salt.as_ref())
                .map_err(|error| ResolutionError::new(Category::Reader, error.to_string()))
        });
        let failure = match (expected, shown) {
            (Wanted::Rows(expected), Ok(shown)) => self.compare(&expected, &shown, &compared),
            (Wanted::Error(expected), Err(error)) if expected == error.code() => None,
            (Wanted::Error(expected), Ok(shown)) => Some(Failure::NotRefused {
                expected,
                shown: shown
                    .iter()
                    .map(|row| self.line_of_shown(row, &compared))
                    .collect(),
            }),
            (Wanted::Rows(_), Err(error)) => Some(refused(&error, None)),
            (Wanted::Error(expected), Err(error)) => Some(refused(&error, Some(expected))),
        };
        Ok(Judged {
            path: self.path.to_owned(),
            line: self.case.referenced.line(),
            name: case.name.clone(),
            failure,
            restrictions: told,
        })
    }

    fn wrong(&self, problem: impl Into<String>) -> Malformed {
        Malformed::at(self.path, self.case, problem)
    }

    fn expected(&self) -> Result<Wanted, Malformed> {
        let case = &self.case.value;
        match (&case.rows, &case.error) {
            (Some(ExpectedRows::All), None) => {
                let rows = self.rows.iter();
                Ok(Wanted::Rows(
                    rows.map(|row| row.iter().cloned().map(Expected::Value).collect())
                        .collect(),
                ))
            }
            (Some(ExpectedRows::These(rows)), None) => rows
                .iter()
                .map(|row| {
                    cells::expected(&row.value, &self.given.fields)
                        .map_err(|problem| Malformed::at(self.path, row, problem))
                })
                .collect::<Result<_, _>>()
                .map(Wanted::Rows),
            (None, Some(error)) => {
                let codes = CATEGORIES.map(|category| ResolutionError::new(category, "").code());
                if !codes.contains(&error.value.as_str()) {
                    let problem = format!("`{}` is no code; known are {}", error.value, codes.join(", "));
                    return Err(Malformed::at(self.path, error, problem));
                }
                Ok(Wanted::Error(error.value.clone()))
            }
            (None, None) | (Some(_), Some(_)) => {
                Err(self.wrong("a case expects either `rows` or an `error`"))
            }
        }
    }

    /// Positions of the columns that are compared.
    fn compared_columns(&self) -> Result<Vec<usize>, Malformed> {
        let fields = &self.given.fields;
        let Some(names) = &self.case.value.columns else {
            return Ok((0..fields.len()).collect());
        };
        names
            .value
            .iter()
            .map(|name| {
                fields
                    .iter()
                    .position(|field| field.name == *name)
                    .ok_or_else(|| {
                        Malformed::at(self.path, names, format!("the table has no column `{name}`"))
                    })
            })
            .collect()
    }

    fn salt(&self) -> Result<Option<QuerySalt>, Malformed> {
        let Some(salt) = &self.case.value.salt else {
            return Ok(None);
        };
        let wrong = |problem: String| Malformed::at(self.path, salt, problem);
        let bytes = hex::decode(&salt.value)
            .map_err(|error| wrong(format!("the salt is not hexadecimal: {error}")))?;
        QuerySalt::new(bytes)
            .map(Some)
            .map_err(|error| wrong(error.to_string()))
    }

    /// The rows that the user sees, in the order of the file.
    fn shown(
        &self,
        resolution: &Resolution,
        salt: Option<&QuerySalt>,
    ) -> Result<Vec<Vec<Shown>>, ReaderError> {
        let restrictions = &resolution.restrictions;
        let mut shown = Vec::new();
        for row in self.rows {
            let value_of = |id: i32| {
                let position = self.given.fields.iter().position(|field| field.id == id);
                position.and_then(|at| row.get(at)).unwrap_or(&FieldValue::Null)
            };
            let passes = match restrictions.row_filter() {
                None => true,
                Some(filter) => evaluate(filter.predicate(), &value_of)?,
            };
            if passes {
                let cells = self.given.fields.iter().zip(row);
                shown.push(
                    cells
                        .map(|(field, value)| see(field, value, restrictions.action_of(field.id), salt))
                        .collect::<Result<_, _>>()?,
                );
            }
        }
        Ok(shown)
    }

    fn compare(
        &self,
        expected: &[Vec<Expected>],
        shown: &[Vec<Shown>],
        compared: &[usize],
    ) -> Option<Failure> {
        let agree = |expected: &[Expected], shown: &[Shown]| {
            compared
                .iter()
                .all(|at| match (expected.get(*at), shown.get(*at)) {
                    (Some(expected), Some(shown)) => agrees(expected, shown),
                    _ => false,
                })
        };
        let mut left: Vec<&Vec<Shown>> = shown.iter().collect();
        let mut missing = Vec::new();
        for row in expected {
            match left.iter().position(|shown| agree(row, shown)) {
                Some(at) => drop(left.remove(at)),
                None => missing.push(row),
            }
        }
        if missing.is_empty() && left.is_empty() {
            return None;
        }
        let values = if missing.len() == left.len() {
            missing
                .iter()
                .zip(&left)
                .flat_map(|(expected, shown)| self.differing_values(expected, shown, compared))
                .collect()
        } else {
            Vec::new()
        };
        Some(Failure::Rows(Difference {
            missing: missing
                .iter()
                .map(|row| self.line_of_expected(row, compared))
                .collect(),
            unexpected: left.iter().map(|row| self.line_of_shown(row, compared)).collect(),
            values,
        }))
    }

    fn differing_values(&self, expected: &[Expected], shown: &[Shown], compared: &[usize]) -> Vec<String> {
        let cells = compared
            .iter()
            .filter_map(|at| Some((self.given.fields.get(*at)?, expected.get(*at)?, shown.get(*at)?)));
        cells
            .filter(|(_, expected, shown)| !agrees(expected, shown))
            .map(|(field, expected, shown)| {
                format!(
                    "{}: expected {}, shown {}",
                    field.name,
                    expected.to_json(),
                    shown.to_json()
                )
            })
            .collect()
    }

    fn line_of_expected(&self, row: &[Expected], compared: &[usize]) -> String {
        self.line(compared, |at| row.get(at).map(Expected::to_json))
    }

    fn line_of_shown(&self, row: &[Shown], compared: &[usize]) -> String {
        self.line(compared, |at| row.get(at).map(Shown::to_json))
    }

    fn line(&self, compared: &[usize], value: impl Fn(usize) -> Option<Value>) -> String {
        cells::line(
            compared
                .iter()
                .filter_map(|at| Some((self.given.fields.get(*at)?.name.clone(), value(*at)?))),
        )
    }
}

enum Wanted {
    Rows(Vec<Vec<Expected>>),
    Error(String),
}

/// The categories of errors that a test can expect.
const CATEGORIES: [Category; 11] = [
    Category::Content,
    Category::Syntax,
    Category::Limit,
    Category::Static,
    Category::Action,
    Category::Context,
    Category::Schema,
    Category::Literal,
    Category::Lookup,
    Category::Conflict,
    Category::Reader,
];

fn refused(error: &ResolutionError, expected: Option<String>) -> Failure {
    Failure::Refused {
        code: error.code(),
        expected,
        detail: error.detail.clone(),
    }
}

/// One value through its mask. Without a salt a digest of the query is only known to be one.
fn see(
    field: &Field,
    value: &FieldValue,
    action: Option<MaskAction>,
    salt: Option<&QuerySalt>,
) -> Result<Shown, ReaderError> {
    match action {
        None => Ok(Shown {
            value: value.clone(),
            is_opaque: false,
        }),
        Some(MaskAction::Sha256QueryLocal) if salt.is_none() => Ok(Shown {
            is_opaque: !value.is_null(),
            value: FieldValue::Null,
        }),
        Some(action) => Ok(Shown {
            value: action.apply(&field.field_type, value, salt)?,
            is_opaque: false,
        }),
    }
}

/// Compared as JSON, in which NaN equals NaN and -0.0 does not equal 0.0.
fn agrees(expected: &Expected, shown: &Shown) -> bool {
    if shown.is_opaque {
        return *expected == Expected::Opaque;
    }
    expected.to_json() == shown.to_json()
}

impl Expected {
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Value(value) => value.to_json(),
            Self::Opaque => Value::from(OPAQUE),
        }
    }
}

impl Shown {
    fn to_json(&self) -> Value {
        if self.is_opaque {
            Value::from(OPAQUE)
        } else {
            self.value.to_json()
        }
    }
}
