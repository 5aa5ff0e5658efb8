// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The content of a compaction policy: numbers with recorded defaults.

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::custom::texts;
use super::{ContentError, members, wrong};

/// When and how Iceberg tables are to be compacted. Other systems read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionContent {
    /// Least mean squared error of data file sizes, in bytes squared.
    pub min_data_file_mse: i64,
    /// Least number of delete files.
    pub min_delete_file_number: i64,
    /// Weight of the data file error in the score.
    pub data_file_mse_weight: i64,
    /// Weight of the number of delete files in the score.
    pub delete_file_number_weight: i64,
    /// Most partitions rewritten at once.
    pub max_partition_num: i64,
    /// Options passed to the rewrite.
    pub rewrite_options: IndexMap<String, String>,
}

impl Default for CompactionContent {
    /// What the original answers for `{}`.
    fn default() -> Self {
        Self {
            min_data_file_mse: 405_323_966_463_344,
            min_delete_file_number: 1,
            data_file_mse_weight: 1,
            delete_file_number_weight: 100,
            max_partition_num: 50,
            rewrite_options: IndexMap::new(),
        }
    }
}

impl CompactionContent {
    /// Reads the content; members that are missing or null take their default.
    ///
    /// # Errors
    /// [`ContentError`] for an unknown member, a negative number, or options that are no strings.
    pub fn parse(text: &str) -> Result<Self, ContentError> {
        let mut content = Self::default();
        let known = &[
            "minDataFileMse",
            "minDeleteFileNumber",
            "dataFileMseWeight",
            "deleteFileNumberWeight",
            "maxPartitionNum",
            "rewriteOptions",
        ];
        for (name, value) in members(text, known, "the members of a compaction policy")? {
            if value.is_null() {
                continue;
            }
            if name == "rewriteOptions" {
                content.rewrite_options = texts(&name, value)?;
                continue;
            }
            let number = value
                .as_i64()
                .filter(|number| *number >= 0)
                .ok_or_else(|| wrong(&name, "an integer that is not negative"))?;
            match name.as_str() {
                "minDataFileMse" => content.min_data_file_mse = number,
                "minDeleteFileNumber" => content.min_delete_file_number = number,
                "dataFileMseWeight" => content.data_file_mse_weight = number,
                "deleteFileNumberWeight" => content.delete_file_number_weight = number,
                _ if number > 0 => content.max_partition_num = number,
                _ => return Err(wrong(&name, "a positive integer")),
            }
        }
        Ok(content)
    }

    /// The stored form.
    pub fn to_json(&self) -> Value {
        json!({
            "minDataFileMse": self.min_data_file_mse,
            "minDeleteFileNumber": self.min_delete_file_number,
            "dataFileMseWeight": self.data_file_mse_weight,
            "deleteFileNumberWeight": self.delete_file_number_weight,
            "maxPartitionNum": self.max_partition_num,
            "rewriteOptions": self.rewrite_options,
        })
    }
}
