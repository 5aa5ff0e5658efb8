// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions in table definitions: default values, arguments of transforms, terms of sort orders.

use serde::{Deserialize, Serialize};

use crate::data_type::DataType;

/// A path to a field: a column, then members of structs. Never empty.
pub type FieldPath = Vec<String>;

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expression {
    /// A value.
    Literal(LiteralValue),
    /// A field of the table.
    Field(FieldPath),
    /// A function applied to arguments.
    Function {
        /// The name of the function.
        name: String,
        /// What it is applied to.
        arguments: Vec<Expression>,
    },
    /// A text of the source that was not understood.
    Unparsed(String),
}

/// A value with its type, as text (`-1`, `2024-01-01`); the text is checked by who knows the type's syntax.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LiteralValue {
    /// The type.
    pub data_type: DataType,
    /// The value as text; `None` is SQL null.
    pub value: Option<String>,
}

impl Expression {
    /// The SQL null, whose type is [`DataType::Null`].
    pub const NULL: Self = Self::Literal(LiteralValue {
        data_type: DataType::Null,
        value: None,
    });

    /// Whether this is a literal null.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Literal(LiteralValue { value: None, .. }))
    }

    /// Every field that the expression names.
    pub fn fields(&self) -> Vec<&FieldPath> {
        match self {
            Self::Field(path) => vec![path],
            Self::Function { arguments, .. } => arguments.iter().flat_map(Self::fields).collect(),
            Self::Literal(_) | Self::Unparsed(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Expression;

    #[test]
    fn fields_of_nested_functions_are_found() {
        let expression = Expression::Function {
            name: "concat".to_owned(),
            arguments: vec![
                Expression::Field(vec!["a".to_owned()]),
                Expression::NULL,
                Expression::Function {
                    name: "upper".to_owned(),
                    arguments: vec![Expression::Field(vec!["s".to_owned(), "b".to_owned()])],
                },
            ],
        };
        let fields: Vec<String> = expression
            .fields()
            .into_iter()
            .map(|path| path.join("."))
            .collect();
        assert_eq!(fields, ["a", "s.b"]);
        assert!(Expression::NULL.is_null() && !expression.is_null());
    }
}
