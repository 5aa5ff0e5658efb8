// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! How rows are spread over files or nodes.

use std::str::FromStr;

use crate::expression::Expression;

/// A distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    /// How.
    pub strategy: DistributionStrategy,
    /// Over how many; 0 where nobody says, -1 where the source decides.
    pub number: i32,
    /// By what.
    pub expressions: Vec<Expression>,
}

/// The ways to spread rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DistributionStrategy {
    /// Not at all.
    None,
    /// By hash.
    Hash,
    /// By range of a sort order.
    Range,
    /// Evenly (at random).
    Even,
}

/// A text that is no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a distribution strategy: `none`, `hash`, `range` or `even`")]
pub struct UnknownStrategy(pub String);

impl Distribution {
    /// No distribution.
    pub const NONE: Self = Self {
        strategy: DistributionStrategy::None,
        number: 0,
        expressions: Vec::new(),
    };
}

impl DistributionStrategy {
    /// The lower-case word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Hash => "hash",
            Self::Range => "range",
            Self::Even => "even",
        }
    }
}

impl FromStr for DistributionStrategy {
    type Err = UnknownStrategy;

    /// Case does not matter; `random` is accepted for `even`.
    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        if text.eq_ignore_ascii_case("random") {
            return Ok(Self::Even);
        }
        [Self::None, Self::Hash, Self::Range, Self::Even]
            .into_iter()
            .find(|strategy| strategy.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownStrategy(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{DistributionStrategy, UnknownStrategy};

    #[test]
    fn random_means_even() {
        assert_eq!("RANDOM".parse(), Ok(DistributionStrategy::Even));
        assert_eq!("Hash".parse(), Ok(DistributionStrategy::Hash));
        assert_eq!(
            "round".parse::<DistributionStrategy>(),
            Err(UnknownStrategy("round".to_owned()))
        );
    }
}
