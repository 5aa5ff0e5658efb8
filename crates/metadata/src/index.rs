// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Indexes of tables.

use std::str::FromStr;

use crate::Properties;
use crate::expression::FieldPath;

/// An index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// What it is.
    pub index_type: IndexType,
    /// Its name; some sources give none.
    pub name: Option<String>,
    /// The fields it covers, in order; not empty.
    pub fields: Vec<FieldPath>,
    /// Settings of the source.
    pub properties: Properties,
}

/// The kinds of indexes that Gravitino knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexType {
    /// `PRIMARY_KEY`
    PrimaryKey,
    /// `UNIQUE_KEY`
    UniqueKey,
    /// `SCALAR`
    Scalar,
    /// `BTREE`
    Btree,
    /// `BITMAP`
    Bitmap,
    /// `LABEL_LIST`
    LabelList,
    /// `INVERTED`
    Inverted,
    /// `VECTOR`
    Vector,
    /// `IVF_FLAT`
    IvfFlat,
    /// `IVF_SQ`
    IvfSq,
    /// `IVF_PQ`
    IvfPq,
    /// `IVF_HNSW_SQ`
    IvfHnswSq,
    /// `IVF_HNSW_PQ`
    IvfHnswPq,
    /// `DATA_SKIPPING_MINMAX`
    DataSkippingMinmax,
    /// `DATA_SKIPPING_BLOOM_FILTER`
    DataSkippingBloomFilter,
    /// `DATA_SKIPPING_SET`
    DataSkippingSet,
}

/// A text that is no kind of index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a type of index")]
pub struct UnknownIndexType(pub String);

impl IndexType {
    /// Every kind.
    pub const ALL: [Self; 16] = [
        Self::PrimaryKey,
        Self::UniqueKey,
        Self::Scalar,
        Self::Btree,
        Self::Bitmap,
        Self::LabelList,
        Self::Inverted,
        Self::Vector,
        Self::IvfFlat,
        Self::IvfSq,
        Self::IvfPq,
        Self::IvfHnswSq,
        Self::IvfHnswPq,
        Self::DataSkippingMinmax,
        Self::DataSkippingBloomFilter,
        Self::DataSkippingSet,
    ];

    /// The upper-case word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PrimaryKey => "PRIMARY_KEY",
            Self::UniqueKey => "UNIQUE_KEY",
            Self::Scalar => "SCALAR",
            Self::Btree => "BTREE",
            Self::Bitmap => "BITMAP",
            Self::LabelList => "LABEL_LIST",
            Self::Inverted => "INVERTED",
            Self::Vector => "VECTOR",
            Self::IvfFlat => "IVF_FLAT",
            Self::IvfSq => "IVF_SQ",
            Self::IvfPq => "IVF_PQ",
            Self::IvfHnswSq => "IVF_HNSW_SQ",
            Self::IvfHnswPq => "IVF_HNSW_PQ",
            Self::DataSkippingMinmax => "DATA_SKIPPING_MINMAX",
            Self::DataSkippingBloomFilter => "DATA_SKIPPING_BLOOM_FILTER",
            Self::DataSkippingSet => "DATA_SKIPPING_SET",
        }
    }
}

impl FromStr for IndexType {
    type Err = UnknownIndexType;

    /// Case does not matter.
    fn from_str(text: &str) -> Result<Self, UnknownIndexType> {
        Self::ALL
            .into_iter()
            .find(|index_type| index_type.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownIndexType(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::IndexType;

    #[test]
    fn every_word_is_read_in_lower_case_too() {
        for index_type in IndexType::ALL {
            assert_eq!(index_type.as_str().to_ascii_lowercase().parse(), Ok(index_type));
        }
    }
}
