// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Definitions of functions: parameters, results, implementations. Unknown members are refused at every level.

use lakeward_metadata::function::{
    FunctionCode, FunctionColumn, FunctionDefinition, FunctionImplementation, FunctionParameter,
    FunctionResources, FunctionResult, FunctionRuntime,
};
use serde_json::{Map, Value, json};

use crate::json_object::{Members, text_item};
use crate::request::RequestError;
use crate::{data_type, expression};

/// Writes a definition.
pub fn to_json(definition: &FunctionDefinition) -> Value {
    let mut object = Map::new();
    let parameters: Vec<Value> = definition.parameters.iter().map(parameter_to_json).collect();
    object.insert("parameters".to_owned(), Value::Array(parameters));
    match &definition.result {
        FunctionResult::Type(result) => object.insert("returnType".to_owned(), data_type::to_json(result)),
        FunctionResult::Columns(columns) => {
            let columns = columns.iter().map(column_to_json).collect();
            object.insert("returnColumns".to_owned(), Value::Array(columns))
        }
    };
    let implementations = definition.implementations.iter().map(implementation_to_json);
    object.insert("impls".to_owned(), Value::Array(implementations.collect()));
    Value::Object(object)
}

fn parameter_to_json(parameter: &FunctionParameter) -> Value {
    let mut object = named(
        &parameter.name,
        &parameter.data_type,
        parameter.comment.as_deref(),
    );
    if let Some(default_value) = &parameter.default_value {
        object.insert("defaultValue".to_owned(), expression::to_json(default_value));
    }
    Value::Object(object)
}

fn column_to_json(column: &FunctionColumn) -> Value {
    Value::Object(named(&column.name, &column.data_type, column.comment.as_deref()))
}

fn named(
    name: &str,
    data_type: &lakeward_metadata::data_type::DataType,
    comment: Option<&str>,
) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(name));
    object.insert("dataType".to_owned(), data_type::to_json(data_type));
    if let Some(comment) = comment {
        object.insert("comment".to_owned(), json!(comment));
    }
    object
}

fn implementation_to_json(implementation: &FunctionImplementation) -> Value {
    let resources = &implementation.resources;
    let mut object = Map::new();
    let (language, members): (&str, Vec<(&str, Option<&str>)>) = match &implementation.code {
        FunctionCode::Sql { sql } => ("SQL", vec![("sql", Some(sql))]),
        FunctionCode::Java { class_name } => ("JAVA", vec![("className", Some(class_name))]),
        FunctionCode::Python { handler, code_block } => (
            "PYTHON",
            vec![("handler", Some(handler)), ("codeBlock", code_block.as_deref())],
        ),
    };
    object.insert("language".to_owned(), json!(language));
    object.insert("runtime".to_owned(), json!(implementation.runtime.as_str()));
    object.insert(
        "resources".to_owned(),
        json!({"jars": resources.jars, "files": resources.files, "archives": resources.archives}),
    );
    object.insert("properties".to_owned(), json!(implementation.properties));
    for (name, text) in members {
        if let Some(text) = text {
            object.insert(name.to_owned(), json!(text));
        }
    }
    Value::Object(object)
}

/// Reads a definition; `path` is where it stands in the request.
///
/// # Errors
/// [`RequestError`] for unknown, missing or wrong members. What holds between definitions is checked elsewhere.
pub fn from_json(value: &Value, path: &str) -> Result<FunctionDefinition, RequestError> {
    let members = Members::of(value, path)?.only(&["parameters", "returnType", "returnColumns", "impls"])?;
    let columns = members.each("returnColumns", column)?;
    let result = match (members.get("returnType"), columns.is_empty()) {
        (Some(_), false) => {
            return Err(RequestError::invalid(
                members.at("returnColumns"),
                "a function has a `returnType` or `returnColumns`, not both",
            ));
        }
        (Some(result), true) => {
            FunctionResult::Type(data_type::from_json(result, &members.at("returnType"))?)
        }
        (None, false) => FunctionResult::Columns(columns),
        (None, true) => {
            return Err(RequestError::invalid(
                path,
                "`returnType` is required of scalar and aggregate functions, `returnColumns` of table functions",
            ));
        }
    };
    Ok(FunctionDefinition {
        parameters: members.each("parameters", parameter)?,
        result,
        implementations: members.each("impls", implementation)?,
    })
}

/// Reads a parameter.
///
/// # Errors
/// [`RequestError`] for unknown, missing or wrong members.
pub(super) fn parameter(value: &Value, path: &str) -> Result<FunctionParameter, RequestError> {
    let members = Members::of(value, path)?.only(&["name", "dataType", "comment", "defaultValue"])?;
    Ok(FunctionParameter {
        name: members.required_text("name")?.to_owned(),
        data_type: data_type::from_json(members.required("dataType")?, &members.at("dataType"))?,
        comment: members.text("comment")?.map(str::to_owned),
        default_value: members
            .get("defaultValue")
            .map(|value| expression::from_json(value, &members.at("defaultValue")))
            .transpose()?,
    })
}

fn column(value: &Value, path: &str) -> Result<FunctionColumn, RequestError> {
    let members = Members::of(value, path)?.only(&["name", "dataType", "comment"])?;
    Ok(FunctionColumn {
        name: members.required_text("name")?.to_owned(),
        data_type: data_type::from_json(members.required("dataType")?, &members.at("dataType"))?,
        comment: members.text("comment")?.map(str::to_owned),
    })
}

/// Reads the member `runtime`.
///
/// # Errors
/// [`RequestError`] where it is missing or no runtime.
pub(super) fn runtime(members: Members<'_>) -> Result<FunctionRuntime, RequestError> {
    let given = members.required_text("runtime")?.trim();
    FunctionRuntime::ALL
        .into_iter()
        .find(|known| known.as_str().eq_ignore_ascii_case(given))
        .ok_or_else(|| {
            RequestError::invalid(
                members.at("runtime"),
                format!("`{given}` is not a runtime: SPARK or TRINO"),
            )
        })
}

/// Reads an implementation.
///
/// # Errors
/// [`RequestError`] for unknown, missing or wrong members.
pub(super) fn implementation(value: &Value, path: &str) -> Result<FunctionImplementation, RequestError> {
    let members = Members::of(value, path)?;
    let language = members.required_text("language")?;
    let own: &[&str] = match language.to_ascii_uppercase().as_str() {
        "SQL" => &["sql"],
        "JAVA" => &["className"],
        "PYTHON" => &["handler", "codeBlock"],
        _ => {
            return Err(RequestError::invalid(
                members.at("language"),
                format!("`{language}` is not a language of functions: SQL, JAVA or PYTHON"),
            ));
        }
    };
    members.only(&[&["language", "runtime", "resources", "properties"], own].concat())?;
    let code = match own {
        ["sql"] => FunctionCode::Sql {
            sql: members.required_text("sql")?.to_owned(),
        },
        ["className"] => FunctionCode::Java {
            class_name: members.required_text("className")?.to_owned(),
        },
        _ => FunctionCode::Python {
            handler: members.required_text("handler")?.to_owned(),
            code_block: members.text("codeBlock")?.map(str::to_owned),
        },
    };
    Ok(FunctionImplementation {
        runtime: runtime(members)?,
        code,
        resources: resources(members)?,
        properties: members.properties("properties")?,
    })
}

fn resources(members: Members<'_>) -> Result<FunctionResources, RequestError> {
    let Some(value) = members.get("resources") else {
        return Ok(FunctionResources::default());
    };
    let at = members.at("resources");
    let members = Members::of(value, &at)?.only(&["jars", "files", "archives"])?;
    Ok(FunctionResources {
        jars: members.each("jars", text_item)?,
        files: members.each("files", text_item)?,
        archives: members.each("archives", text_item)?,
    })
}
