// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a predicate may say of the rows of a file.
//!
//! Readers differ about null: Iceberg's own expressions know true and false alone (null is less than everything and equal
//! to nothing), query engines know a third answer, and a row whose answer is neither is not selected. A file is left out
//! only if no reader would select a row of it, and a filter is taken as fulfilled only if every reader would select all.

use std::ops::Not;

/// How one row may be answered by the two kinds of readers: a set of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcomes(u8);

/// What the set consists of: the bit, what Iceberg's expressions say, what engines say (`None`: neither).
const PAIRS: [(u8, bool, Option<bool>); 4] = [
    (0b0001, true, Some(true)),
    (0b0010, false, Some(false)),
    (0b0100, true, None),
    (0b1000, false, None),
];

impl Outcomes {
    /// No row at all.
    pub(super) const NONE: Self = Self(0);
    /// True for everybody.
    pub(super) const TRUE: Self = Self(0b0001);
    /// False for everybody.
    pub(super) const FALSE: Self = Self(0b0010);
    /// A null that Iceberg's expressions select.
    pub(super) const NULL_SELECTED: Self = Self(0b0100);
    /// A null that nobody selects.
    pub(super) const NULL_REFUSED: Self = Self(0b1000);
    /// Anything.
    pub(super) const ANY: Self = Self(0b1111);

    /// Either set.
    pub(super) const fn or_else(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What both sets allow.
    pub(super) const fn and_also(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether some reader may select a row.
    pub(super) fn may_select(self) -> bool {
        self.0 & (Self::TRUE.0 | Self::NULL_SELECTED.0) != 0
    }

    /// Whether every reader selects every row.
    pub(super) fn select_all(self) -> bool {
        self == Self::TRUE
    }

    /// The answers of a conjunction.
    pub(super) fn and(self, other: Self) -> Self {
        let mut found = Self::NONE;
        for (_, one, engine) in PAIRS.into_iter().filter(|pair| self.0 & pair.0 != 0) {
            for (_, other, as_well) in PAIRS.into_iter().filter(|pair| other.0 & pair.0 != 0) {
                let engines = match (engine, as_well) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    (None, _) | (_, None) => None,
                };
                found = found.or_else(Self::of(one && other, engines));
            }
        }
        found
    }

    /// The answers of a disjunction.
    pub(super) fn or(self, other: Self) -> Self {
        !(!self).and(!other)
    }

    fn of(one: bool, engine: Option<bool>) -> Self {
        let pair = PAIRS.into_iter().find(|pair| (pair.1, pair.2) == (one, engine));
        // A false conjunct makes both say false.
        pair.map_or(Self::FALSE, |pair| Self(pair.0))
    }
}

impl Not for Outcomes {
    type Output = Self;

    fn not(self) -> Self {
        PAIRS
            .into_iter()
            .filter(|pair| self.0 & pair.0 != 0)
            .fold(Self::NONE, |found, (_, one, engine)| {
                found.or_else(Self::of(!one, engine.map(|value| !value)))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_readers_are_followed() {
        let (null, refused) = (Outcomes::NULL_SELECTED, Outcomes::NULL_REFUSED);
        assert_eq!(!Outcomes::TRUE, Outcomes::FALSE);
        assert_eq!(!null, refused);
        assert_eq!(null.and(refused), refused);
        assert_eq!(null.or(refused), null);
        assert_eq!(null.and(Outcomes::FALSE), Outcomes::FALSE);
        assert_eq!(refused.or(Outcomes::TRUE), Outcomes::TRUE);
        assert_eq!(refused.or(Outcomes::FALSE), refused);
        assert!(null.may_select() && !null.select_all());
        assert!(!refused.may_select());
        let either = Outcomes::TRUE.or_else(Outcomes::FALSE);
        assert_eq!(either.and(null), null.or_else(Outcomes::FALSE));
        assert!(!either.select_all() && Outcomes::TRUE.select_all());
        assert_eq!(Outcomes::NONE.and(Outcomes::ANY), Outcomes::NONE);
    }
}
