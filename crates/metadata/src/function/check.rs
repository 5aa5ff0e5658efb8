// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What holds for every function.

use super::{
    FunctionBody, FunctionDefinition, FunctionParameter, FunctionResult, FunctionRuntime, FunctionType,
};
use crate::data_type::DataType;
use crate::expression::Expression;

/// How many overloads a function has at most.
pub const MAX_DEFINITIONS: usize = 100;
/// How many parameters an overload has at most.
pub const MAX_PARAMETERS: usize = 100;
/// How deep types and default values nest at most, so that what is stored can always be read again.
pub const MAX_NESTING: usize = 16;

/// Why something makes no function, or a change cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FunctionError {
    /// There is no overload.
    #[error("a function has at least one definition")]
    NoDefinition,
    /// There are too many.
    #[error("a function has at most {MAX_DEFINITIONS} definitions")]
    TooManyDefinitions,
    /// An overload has too many parameters.
    #[error("{0} has more than {MAX_PARAMETERS} parameters")]
    TooManyParameters(String),
    /// A type or default value nests too deep.
    #[error("a type or default value in {0} nests deeper than {MAX_NESTING} levels")]
    TooDeep(String),
    /// A parameter that every call must give stands after one that it may leave out.
    #[error("parameter `{parameter}` of {definition} has no default value, but stands after one that has")]
    RequiredAfterDefault {
        /// The overload.
        definition: String,
        /// The parameter.
        parameter: String,
    },
    /// A call would fit two overloads.
    #[error("the definitions {0} and {1} overlap: a call could mean either")]
    Ambiguous(String, String),
    /// An overload gives something else than functions of the type do.
    #[error("{0}: a {type_name} function {rule}", type_name = .1.as_str(), rule = needed(*.1))]
    Result(String, FunctionType),
    /// An overload cannot be computed.
    #[error("{0} has no implementation")]
    NoImplementation(String),
    /// An overload has two implementations for a runtime.
    #[error("{definition} has an implementation for {runtime} already", runtime = .runtime.as_str())]
    DuplicateRuntime {
        /// The overload.
        definition: String,
        /// The runtime.
        runtime: FunctionRuntime,
    },
    /// A change names an overload that is not there.
    #[error("there is no definition {0}")]
    UnknownDefinition(String),
    /// A change names an implementation that is not there.
    #[error("{definition} has no implementation for {runtime}", runtime = .runtime.as_str())]
    UnknownRuntime {
        /// The overload.
        definition: String,
        /// The runtime.
        runtime: FunctionRuntime,
    },
    /// The only overload is to go.
    #[error("the only definition of a function cannot be removed; drop the function instead")]
    LastDefinition,
    /// The only implementation of an overload is to go.
    #[error("the only implementation of {0} cannot be removed; remove the definition instead")]
    LastImplementation(String),
    /// An implementation is to be replaced by one for another runtime.
    #[error("an implementation for {from} cannot be replaced by one for {to}", from = .0.as_str(), to = .1.as_str())]
    OtherRuntime(FunctionRuntime, FunctionRuntime),
}

const fn needed(function_type: FunctionType) -> &'static str {
    match function_type {
        FunctionType::Scalar | FunctionType::Aggregate => "has a return type, and no return columns",
        FunctionType::Table => "has return columns, and no return type",
    }
}

/// The parameters as messages show them: `(x: integer, y: string)`.
pub(super) fn shown(parameters: &[FunctionParameter]) -> String {
    let parameters: Vec<String> = parameters
        .iter()
        .map(|parameter| format!("{}: {}", parameter.name, parameter.data_type))
        .collect();
    format!("({})", parameters.join(", "))
}

impl FunctionBody {
    /// Checks everything.
    ///
    /// # Errors
    /// [`FunctionError`] with the first thing found wrong.
    pub fn check(&self) -> Result<(), FunctionError> {
        if self.definitions.is_empty() {
            return Err(FunctionError::NoDefinition);
        }
        for (position, definition) in self.definitions.iter().enumerate() {
            let before = self.definitions.get(..position).unwrap_or_default();
            self.check_among(definition, before)?;
        }
        Ok(())
    }

    /// Checks an overload that comes to others.
    pub(super) fn check_among(
        &self,
        definition: &FunctionDefinition,
        others: &[FunctionDefinition],
    ) -> Result<(), FunctionError> {
        if others.len() >= MAX_DEFINITIONS {
            return Err(FunctionError::TooManyDefinitions);
        }
        definition.check()?;
        let fits = match definition.result {
            FunctionResult::Type(_) => self.function_type != FunctionType::Table,
            FunctionResult::Columns(_) => self.function_type == FunctionType::Table,
        };
        if !fits {
            let shown = shown(&definition.parameters);
            return Err(FunctionError::Result(shown, self.function_type));
        }
        match others.iter().find(|other| other.overlaps(definition)) {
            None => Ok(()),
            Some(other) => Err(FunctionError::Ambiguous(
                shown(&other.parameters),
                shown(&definition.parameters),
            )),
        }
    }
}

impl FunctionDefinition {
    fn check(&self) -> Result<(), FunctionError> {
        let shown = || shown(&self.parameters);
        if self.parameters.len() > MAX_PARAMETERS {
            let first = self.parameters.first().map(|parameter| parameter.name.as_str());
            return Err(FunctionError::TooManyParameters(format!(
                "the definition with `{}` as its first parameter",
                first.unwrap_or_default()
            )));
        }
        let is_too_deep = self.parameters.iter().any(|parameter| {
            type_depth(&parameter.data_type) > MAX_NESTING
                || parameter
                    .default_value
                    .as_ref()
                    .is_some_and(|value| expression_depth(value) > MAX_NESTING)
        }) || match &self.result {
            FunctionResult::Type(data_type) => type_depth(data_type) > MAX_NESTING,
            FunctionResult::Columns(columns) => columns
                .iter()
                .any(|column| type_depth(&column.data_type) > MAX_NESTING),
        };
        if is_too_deep {
            return Err(FunctionError::TooDeep(shown()));
        }
        let after = self.parameters.iter().skip(self.required());
        if let Some(late) = after.into_iter().find(|one| one.default_value.is_none()) {
            return Err(FunctionError::RequiredAfterDefault {
                definition: shown(),
                parameter: late.name.clone(),
            });
        }
        if self.implementations.is_empty() {
            return Err(FunctionError::NoImplementation(shown()));
        }
        for runtime in FunctionRuntime::ALL {
            let of_it = self.implementations.iter().filter(|one| one.runtime == runtime);
            if of_it.count() > 1 {
                return Err(FunctionError::DuplicateRuntime {
                    definition: shown(),
                    runtime,
                });
            }
        }
        Ok(())
    }

    /// How many arguments a call gives at least.
    fn required(&self) -> usize {
        self.parameters
            .iter()
            .position(|parameter| parameter.default_value.is_some())
            .unwrap_or(self.parameters.len())
    }

    /// Whether a call fits both: some number of arguments that each of them takes, of the same types.
    fn overlaps(&self, other: &Self) -> bool {
        let alike = self
            .parameters
            .iter()
            .zip(&other.parameters)
            .take_while(|(one, other)| one.data_type == other.data_type)
            .count();
        self.required().max(other.required()) <= alike
    }

    /// Whether it has these parameters, by names and types.
    pub(super) fn has(&self, parameters: &[FunctionParameter]) -> bool {
        let alike = |(one, other): (&FunctionParameter, &FunctionParameter)| {
            one.name == other.name && one.data_type == other.data_type
        };
        self.parameters.len() == parameters.len() && self.parameters.iter().zip(parameters).all(alike)
    }
}

fn type_depth(data_type: &DataType) -> usize {
    let inner = match data_type {
        DataType::Struct(fields) => fields.iter().map(|field| type_depth(&field.data_type)).max(),
        DataType::List { element, .. } => Some(type_depth(element)),
        DataType::Map { key, value, .. } => Some(type_depth(key).max(type_depth(value))),
        DataType::Union(members) => members.iter().map(type_depth).max(),
        DataType::Boolean
        | DataType::Byte
        | DataType::ByteUnsigned
        | DataType::Short
        | DataType::ShortUnsigned
        | DataType::Integer
        | DataType::IntegerUnsigned
        | DataType::Long
        | DataType::LongUnsigned
        | DataType::Float
        | DataType::Double
        | DataType::Decimal { .. }
        | DataType::Date
        | DataType::Time(_)
        | DataType::Timestamp(_)
        | DataType::TimestampTz(_)
        | DataType::IntervalYear
        | DataType::IntervalDay
        | DataType::String
        | DataType::Char(_)
        | DataType::VarChar(_)
        | DataType::Uuid
        | DataType::Fixed(_)
        | DataType::Binary
        | DataType::Geometry(_)
        | DataType::Geography { .. }
        | DataType::Variant
        | DataType::Null
        | DataType::Unparsed(_)
        | DataType::External(_) => None,
    };
    inner.unwrap_or_default() + 1
}

/// The depth of a default value, the types of its literals included.
fn expression_depth(expression: &Expression) -> usize {
    match expression {
        Expression::Literal(literal) => type_depth(&literal.data_type),
        Expression::Field(_) | Expression::Unparsed(_) => 1,
        Expression::Function { arguments, .. } => {
            arguments.iter().map(expression_depth).max().unwrap_or_default() + 1
        }
    }
}
