// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a reader must enforce on one table: at most one row filter, at most one mask per column.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::value::RawValue;

use crate::action::MaskAction;
use crate::predicate::Predicate;

/// The rows that may be seen. Never constant `true`, which restricts nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct RequiredRowFilter(Predicate);

impl RequiredRowFilter {
    /// The predicate that every returned row fulfils, on its original values.
    pub fn predicate(&self) -> &Predicate {
        &self.0
    }
}

/// What is shown of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequiredColumnProjection {
    /// The top-level field.
    pub field_id: i32,
    /// What replaces its values.
    pub action: MaskAction,
}

/// All restrictions of one table for one subject. Holding two masks for one field is impossible.
/// Cloning is cheap: one value is answered to many requests, and what is written of it is made once.
#[derive(Clone, Default)]
pub struct ReadRestrictions(Arc<Content>);

#[derive(Default)]
struct Content {
    row_filter: Option<RequiredRowFilter>,
    projections: Vec<RequiredColumnProjection>,
    written: Written,
}

/// Texts of one value of restrictions, each made when it is first asked for.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) wire: OnceLock<Box<RawValue>>,
    pub(crate) signature: OnceLock<String>,
}

impl PartialEq for ReadRestrictions {
    fn eq(&self, other: &Self) -> bool {
        self.0.row_filter == other.0.row_filter && self.0.projections == other.0.projections
    }
}

impl fmt::Debug for ReadRestrictions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadRestrictions")
            .field("row_filter", &self.0.row_filter)
            .field("projections", &self.0.projections)
            .finish()
    }
}

/// Two projections name one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("field id {field_id} has more than one required projection")]
pub struct DuplicateProjection {
    /// The field named twice.
    pub field_id: i32,
}

impl ReadRestrictions {
    /// Combines at most one filter with the masks, sorted by field id. A constant `true` filter restricts
    /// nothing and is left out.
    ///
    /// # Errors
    /// [`DuplicateProjection`] when two projections name one field, even with the same action.
    pub fn combine(
        row_filter: Option<Predicate>,
        projections: impl IntoIterator<Item = RequiredColumnProjection>,
    ) -> Result<Self, DuplicateProjection> {
        let mut projections: Vec<_> = projections.into_iter().collect();
        projections.sort_unstable();
        let mut last = None;
        for projection in &projections {
            if last == Some(projection.field_id) {
                return Err(DuplicateProjection {
                    field_id: projection.field_id,
                });
            }
            last = Some(projection.field_id);
        }
        let row_filter = row_filter.filter(|filter| *filter != Predicate::Constant(true));
        Ok(Self(Arc::new(Content {
            row_filter: row_filter.map(RequiredRowFilter),
            projections,
            written: Written::default(),
        })))
    }

    /// No restriction at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether anything is restricted, that is, whether a `read-restrictions` member is sent.
    pub fn is_active(&self) -> bool {
        self.0.row_filter.is_some() || !self.0.projections.is_empty()
    }

    /// The row filter, if rows are restricted.
    pub fn row_filter(&self) -> Option<&RequiredRowFilter> {
        self.0.row_filter.as_ref()
    }

    /// The masks, ascending by field id, one per field.
    pub fn projections(&self) -> &[RequiredColumnProjection] {
        &self.0.projections
    }

    pub(crate) fn written(&self) -> &Written {
        &self.0.written
    }

    /// The mask of one field.
    pub fn action_of(&self, field_id: i32) -> Option<MaskAction> {
        self.projections()
            .binary_search_by_key(&field_id, |projection| projection.field_id)
            .ok()
            .and_then(|at| self.projections().get(at))
            .map(|projection| projection.action)
    }
}

#[cfg(test)]
mod tests;
