// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Columns.

use crate::data_type::DataType;
use crate::expression::Expression;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Whether null is allowed.
    pub nullable: bool,
    /// Whether the source counts it up by itself.
    pub auto_increment: bool,
    /// What an insert without a value stores; `None` where nothing is set.
    pub default_value: Option<Expression>,
}

/// Why a column is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// No name.
    #[error("the name of a column must not be empty")]
    Unnamed,
    /// A null default where null is forbidden.
    #[error("the column `{0}` is not nullable, so its default value must not be null")]
    NullDefault(String),
}

impl Column {
    /// A nullable column with neither comment nor default.
    pub fn nullable(name: impl Into<String>, data_type: DataType) -> Self {
        Self {
            name: name.into(),
            data_type,
            comment: None,
            nullable: true,
            auto_increment: false,
            default_value: None,
        }
    }

    /// Checks the column by itself.
    ///
    /// # Errors
    /// [`ColumnError`].
    pub fn check(&self) -> Result<(), ColumnError> {
        if self.name.trim().is_empty() {
            return Err(ColumnError::Unnamed);
        }
        if !self.nullable && self.default_value.as_ref().is_some_and(Expression::is_null) {
            return Err(ColumnError::NullDefault(self.name.clone()));
        }
        Ok(())
    }
}
