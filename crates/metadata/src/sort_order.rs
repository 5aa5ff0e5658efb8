// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! In which order rows are kept.

use std::str::FromStr;

use crate::expression::Expression;

/// One term of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortOrder {
    /// What is compared: a field, or a function such as `bucket`, `truncate`, `year` of one.
    pub term: Expression,
    /// Which way.
    pub direction: SortDirection,
    /// Where nulls go.
    pub null_ordering: NullOrdering,
}

/// Which way values are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SortDirection {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// Where nulls are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NullOrdering {
    /// Before all values.
    NullsFirst,
    /// After all values.
    NullsLast,
}

/// A text that is no direction or no null ordering.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {expected}")]
pub struct UnknownOrder {
    /// The refused text.
    pub text: String,
    /// What was expected, with the accepted words.
    pub expected: &'static str,
}

impl SortDirection {
    /// `asc` or `desc`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }

    /// Where nulls go when nobody says: first when ascending, last when descending.
    pub const fn default_null_ordering(self) -> NullOrdering {
        match self {
            Self::Ascending => NullOrdering::NullsFirst,
            Self::Descending => NullOrdering::NullsLast,
        }
    }
}

impl NullOrdering {
    /// `nulls_first` or `nulls_last`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NullsFirst => "nulls_first",
            Self::NullsLast => "nulls_last",
        }
    }
}

impl FromStr for SortDirection {
    type Err = UnknownOrder;

    fn from_str(text: &str) -> Result<Self, UnknownOrder> {
        [Self::Ascending, Self::Descending]
            .into_iter()
            .find(|direction| direction.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownOrder {
                text: text.to_owned(),
                expected: "sort direction: `asc` or `desc`",
            })
    }
}

impl FromStr for NullOrdering {
    type Err = UnknownOrder;

    fn from_str(text: &str) -> Result<Self, UnknownOrder> {
        [Self::NullsFirst, Self::NullsLast]
            .into_iter()
            .find(|ordering| ordering.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownOrder {
                text: text.to_owned(),
                expected: "null ordering: `nulls_first` or `nulls_last`",
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{NullOrdering, SortDirection};

    #[test]
    fn words_are_read_in_any_case_and_others_refused() {
        assert_eq!("ASC".parse(), Ok(SortDirection::Ascending));
        assert_eq!("Nulls_Last".parse(), Ok(NullOrdering::NullsLast));
        let refused = "up".parse::<SortDirection>().map_err(|error| error.to_string());
        assert_eq!(
            refused,
            Err("`up` is not a sort direction: `asc` or `desc`".to_owned())
        );
        assert_eq!(
            SortDirection::Descending.default_null_ordering(),
            NullOrdering::NullsLast
        );
    }
}
