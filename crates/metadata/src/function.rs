// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions that engines call: overloads by their parameters, each with an implementation per runtime.
//!
//! The forms that [`serde`] derives here and in what they are made of are those in which a store keeps a function, and of
//! no protocol.

use serde::{Deserialize, Serialize};

use crate::Properties;
use crate::audit::Audit;
use crate::data_type::DataType;
use crate::expression::Expression;
use crate::name::Name;

mod change;
mod check;
#[cfg(test)]
mod tests;

pub use change::FunctionChange;
pub use check::{FunctionError, MAX_DEFINITIONS, MAX_NESTING, MAX_PARAMETERS};

/// What a function makes of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionType {
    /// One value of the values of one row.
    Scalar,
    /// One value of the values of many rows.
    Aggregate,
    /// Rows.
    Table,
}

impl FunctionType {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Scalar, Self::Aggregate, Self::Table];

    /// The name in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Aggregate => "aggregate",
            Self::Table => "table",
        }
    }
}

/// The engine that runs an implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionRuntime {
    /// Apache Spark.
    Spark,
    /// Trino.
    Trino,
}

impl FunctionRuntime {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Spark, Self::Trino];

    /// The name in upper case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Spark => "SPARK",
            Self::Trino => "TRINO",
        }
    }
}

/// A parameter. Definitions are told apart by the names and types of theirs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionParameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// What people should know of it.
    pub comment: Option<String>,
    /// What it is where a call leaves it out; only the last parameters have one.
    pub default_value: Option<Expression>,
}

/// A column of the rows that a function makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// What people should know of it.
    pub comment: Option<String>,
}

/// What a call gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionResult {
    /// A value of this type, of a scalar or aggregate function.
    Type(DataType),
    /// Rows with these columns, of a table function; at least one.
    Columns(Vec<FunctionColumn>),
}

/// Files that an implementation needs, by URI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionResources {
    /// Archives of classes.
    pub jars: Vec<String>,
    /// Plain files.
    pub files: Vec<String>,
    /// Archives to unpack.
    pub archives: Vec<String>,
}

/// What an implementation is written in, with what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FunctionCode {
    /// An expression or query.
    Sql {
        /// Its text.
        sql: String,
    },
    /// A class of Java.
    Java {
        /// Its full name.
        class_name: String,
    },
    /// Something callable of Python.
    Python {
        /// Its name, with its module.
        handler: String,
        /// The text of the module, where it is in no file.
        code_block: Option<String>,
    },
}

/// How one runtime computes a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionImplementation {
    /// The runtime; a definition has one implementation for each at most.
    pub runtime: FunctionRuntime,
    /// What computes it.
    pub code: FunctionCode,
    /// The files that it needs.
    pub resources: FunctionResources,
    /// Settings.
    pub properties: Properties,
}

/// One overload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionDefinition {
    /// Its parameters, in order; may be none.
    pub parameters: Vec<FunctionParameter>,
    /// What a call gives.
    pub result: FunctionResult,
    /// How it is computed; at least one.
    pub implementations: Vec<FunctionImplementation>,
}

/// What a function is, without name, comment and history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionBody {
    /// What it makes of its arguments.
    pub function_type: FunctionType,
    /// Whether equal arguments always give the same.
    pub deterministic: bool,
    /// Its overloads; at least one, and no call that fits two of them.
    pub definitions: Vec<FunctionDefinition>,
}

/// A function that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFunction {
    /// Its name in its schema.
    pub name: Name,
    /// What people should know of it.
    pub comment: Option<String>,
    /// What it is.
    pub body: FunctionBody,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name in its schema.
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// What it is.
    pub body: FunctionBody,
    /// Who made and changed it, and when.
    pub audit: Audit,
}
