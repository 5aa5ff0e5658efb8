// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Functions. Their definitions and implementations, in requests and answers, are in [`definition`].

use lakeward_metadata::function::{
    Function, FunctionBody, FunctionChange, FunctionParameter, FunctionType, NewFunction,
};
use lakeward_metadata::kind::ObjectKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::json_object::{Members, each};
use crate::request::{RequestError, name, not_blank, not_empty};
use crate::update::{new_comment, updates};

pub mod definition;

/// `POST …/functions`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct FunctionRegisterRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// `scalar`, `aggregate` or `table`; required.
    pub function_type: Option<String>,
    /// Whether equal arguments always give the same; false where absent.
    #[serde(default)]
    pub deterministic: bool,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its overloads; at least one.
    pub definitions: Option<Vec<Value>>,
}

impl TryFrom<FunctionRegisterRequest> for NewFunction {
    type Error = RequestError;

    fn try_from(request: FunctionRegisterRequest) -> Result<Self, RequestError> {
        let name = name("name", ObjectKind::Function, request.name)?;
        let given = not_blank("functionType", request.function_type)?;
        let function_type = FunctionType::ALL
            .into_iter()
            .find(|known| known.as_str().eq_ignore_ascii_case(&given))
            .ok_or_else(|| {
                RequestError::invalid(
                    "functionType",
                    format!("`{given}` is not a type of function: scalar, aggregate or table"),
                )
            })?;
        let definitions = not_empty("definitions", request.definitions)?;
        let body = FunctionBody {
            function_type,
            deterministic: request.deterministic,
            definitions: each(&definitions, "definitions", definition::from_json)?,
        };
        body.check()
            .map_err(|error| RequestError::invalid("definitions", error))?;
        Ok(Self {
            name,
            comment: request.comment,
            body,
        })
    }
}

/// `PUT …/functions/{function}`: `updateComment`, `addDefinition`, `removeDefinition`, `addImpl`, `updateImpl`,
/// `removeImpl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct FunctionUpdatesRequest {
    /// The changes; at least one.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<FunctionUpdatesRequest> for Vec<FunctionChange> {
    type Error = RequestError;

    fn try_from(request: FunctionUpdatesRequest) -> Result<Self, RequestError> {
        let list = not_empty("updates", request.updates)?;
        updates(Some(&list), change, "function")
    }
}

fn change(update_type: &str, members: Members<'_>) -> Result<Option<FunctionChange>, RequestError> {
    let parameters = || -> Result<Vec<FunctionParameter>, RequestError> {
        members.required("parameters")?;
        members.each("parameters", definition::parameter)
    };
    let runtime = || definition::runtime(members);
    let implementation = || {
        let at = members.at("implementation");
        definition::implementation(members.required("implementation")?, &at)
    };
    Ok(Some(match update_type {
        "updateComment" => FunctionChange::UpdateComment(new_comment(members)?),
        "addDefinition" => {
            let at = members.at("definition");
            FunctionChange::AddDefinition(definition::from_json(members.required("definition")?, &at)?)
        }
        "removeDefinition" => FunctionChange::RemoveDefinition(parameters()?),
        "addImpl" => FunctionChange::AddImplementation {
            parameters: parameters()?,
            implementation: implementation()?,
        },
        "updateImpl" => FunctionChange::UpdateImplementation {
            parameters: parameters()?,
            runtime: runtime()?,
            implementation: implementation()?,
        },
        "removeImpl" => FunctionChange::RemoveImplementation {
            parameters: parameters()?,
            runtime: runtime()?,
        },
        _ => return Ok(None),
    }))
}

/// A function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionDto {
    /// Its name.
    pub name: String,
    /// `scalar`, `aggregate` or `table`.
    pub function_type: String,
    /// Whether equal arguments always give the same.
    pub deterministic: bool,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its overloads.
    pub definitions: Vec<Value>,
    /// Who made and changed it.
    pub audit: AuditDto,
}

impl From<&Function> for FunctionDto {
    fn from(function: &Function) -> Self {
        let body = &function.body;
        Self {
            name: function.name.clone(),
            function_type: body.function_type.as_str().to_owned(),
            deterministic: body.deterministic,
            comment: function.comment.clone(),
            definitions: body.definitions.iter().map(definition::to_json).collect(),
            audit: AuditDto::from(&function.audit),
        }
    }
}

/// One function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionResponse {
    /// Always 0.
    pub code: i32,
    /// The function.
    pub function: FunctionDto,
}

impl From<&Function> for FunctionResponse {
    fn from(function: &Function) -> Self {
        Self {
            code: 0,
            function: function.into(),
        }
    }
}

/// Functions in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionListResponse {
    /// Always 0.
    pub code: i32,
    /// The functions, by name.
    pub functions: Vec<FunctionDto>,
}
