// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Changes of functions. Definitions are named by their parameters, implementations by their runtime.

use super::check::shown;
use super::{
    FunctionBody, FunctionDefinition, FunctionError, FunctionImplementation, FunctionParameter,
    FunctionRuntime,
};

/// One change of a function; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionChange {
    /// Changes the comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Adds an overload.
    AddDefinition(FunctionDefinition),
    /// Removes the overload with these parameters.
    RemoveDefinition(Vec<FunctionParameter>),
    /// Adds an implementation to the overload with these parameters.
    AddImplementation {
        /// The parameters.
        parameters: Vec<FunctionParameter>,
        /// The implementation, for a runtime that the overload has none for.
        implementation: FunctionImplementation,
    },
    /// Replaces an implementation of the overload with these parameters.
    UpdateImplementation {
        /// The parameters.
        parameters: Vec<FunctionParameter>,
        /// The runtime of the implementation, before and after.
        runtime: FunctionRuntime,
        /// What it becomes.
        implementation: FunctionImplementation,
    },
    /// Removes an implementation from the overload with these parameters.
    RemoveImplementation {
        /// The parameters.
        parameters: Vec<FunctionParameter>,
        /// The runtime of the implementation.
        runtime: FunctionRuntime,
    },
}

impl FunctionBody {
    /// Applies one change; that of the comment changes nothing here.
    ///
    /// # Errors
    /// [`FunctionError`], with nothing changed.
    pub fn apply(&mut self, change: FunctionChange) -> Result<(), FunctionError> {
        match change {
            FunctionChange::UpdateComment(_) => Ok(()),
            FunctionChange::AddDefinition(definition) => {
                self.check_among(&definition, &self.definitions)?;
                self.definitions.push(definition);
                Ok(())
            }
            FunctionChange::RemoveDefinition(parameters) => {
                if self.definitions.len() == 1 {
                    return Err(FunctionError::LastDefinition);
                }
                let position = self.definitions.iter().position(|one| one.has(&parameters));
                let position =
                    position.ok_or_else(|| FunctionError::UnknownDefinition(shown(&parameters)))?;
                self.definitions.remove(position);
                Ok(())
            }
            FunctionChange::AddImplementation {
                parameters,
                implementation,
            } => {
                let definition = self.definition(&parameters)?;
                if definition.of(implementation.runtime).is_some() {
                    return Err(FunctionError::DuplicateRuntime {
                        definition: shown(&parameters),
                        runtime: implementation.runtime,
                    });
                }
                definition.implementations.push(implementation);
                Ok(())
            }
            FunctionChange::UpdateImplementation {
                parameters,
                runtime,
                implementation,
            } => {
                if runtime != implementation.runtime {
                    return Err(FunctionError::OtherRuntime(runtime, implementation.runtime));
                }
                let definition = self.definition(&parameters)?;
                let Some(known) = definition
                    .implementations
                    .iter_mut()
                    .find(|one| one.runtime == runtime)
                else {
                    return Err(unknown_runtime(&parameters, runtime));
                };
                *known = implementation;
                Ok(())
            }
            FunctionChange::RemoveImplementation { parameters, runtime } => {
                let definition = self.definition(&parameters)?;
                let position = definition
                    .of(runtime)
                    .ok_or_else(|| unknown_runtime(&parameters, runtime))?;
                if definition.implementations.len() == 1 {
                    return Err(FunctionError::LastImplementation(shown(&parameters)));
                }
                definition.implementations.remove(position);
                Ok(())
            }
        }
    }

    fn definition(
        &mut self,
        parameters: &[FunctionParameter],
    ) -> Result<&mut FunctionDefinition, FunctionError> {
        self.definitions
            .iter_mut()
            .find(|one| one.has(parameters))
            .ok_or_else(|| FunctionError::UnknownDefinition(shown(parameters)))
    }
}

impl FunctionDefinition {
    /// Where the implementation for a runtime is.
    fn of(&self, runtime: FunctionRuntime) -> Option<usize> {
        self.implementations.iter().position(|one| one.runtime == runtime)
    }
}

fn unknown_runtime(parameters: &[FunctionParameter], runtime: FunctionRuntime) -> FunctionError {
    FunctionError::UnknownRuntime {
        definition: shown(parameters),
        runtime,
    }
}
