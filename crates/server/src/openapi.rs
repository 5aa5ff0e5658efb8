// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The OpenAPI document of this server, made from the mounted endpoints, so that it cannot say what is not served. It
//! states methods, paths, parameters, statuses and what each operation requires; bodies are those of the original.

use indexmap::IndexMap;
use lakeward_read_restrictions::code::RestrictionCode;
use serde_json::{Map, Value, json};

use crate::http::routes::{Mounted, Routes};
use crate::operation_name::operation_name;

/// The rows of the native protocol, for the statuses of its operations.
const NATIVE_ROWS: &str = include_str!("../../../protocols/gravitino.tsv");

/// The document of these routes.
pub fn document(routes: &Routes) -> Value {
    let mut mounted: Vec<&Mounted> = routes.mounted().iter().collect();
    mounted.sort_by_key(|mounted| (full_path(mounted), mounted.method.to_string()));
    let mut paths: IndexMap<String, Map<String, Value>> = IndexMap::new();
    for one in mounted {
        paths
            .entry(full_path(one))
            .or_default()
            .insert(one.method.as_str().to_ascii_lowercase(), operation(one));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lakeward",
            "summary": "Who may reach which object of a lakehouse, and which rows and values they see.",
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"basic": {"type": "http", "scheme": "basic"}},
            "schemas": {"Error": error_schema()},
        },
    })
}

fn full_path(mounted: &Mounted) -> String {
    format!("{}{}", mounted.tree.base(), mounted.path)
}

fn operation(mounted: &Mounted) -> Value {
    let mut description = format!("Requires: {}.", mounted.requires);
    if let Some(shows) = mounted.shows {
        description.push_str(&format!(" Shows each item that fulfils: {shows}."));
    }
    let parameters: Vec<Value> = parameters(mounted.path)
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect();
    let mut operation = json!({
        "operationId": operation_name(mounted),
        "tags": [tag(mounted)],
        "description": description,
        "parameters": parameters,
        "responses": responses(mounted),
    });
    let is_open = mounted.requires == lakeward_authorization::Requirement::Public;
    if let (false, Some(members)) = (is_open, operation.as_object_mut()) {
        members.insert("security".to_owned(), json!([{"basic": []}]));
    }
    operation
}

/// What the operation is about: the last segment of its path that is no parameter.
fn tag(mounted: &Mounted) -> String {
    mounted
        .path
        .split('/')
        .rev()
        .find(|segment| !segment.is_empty() && !segment.starts_with('{'))
        .unwrap_or("server")
        .to_owned()
}

fn parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}

fn responses(mounted: &Mounted) -> Value {
    let error = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}});
    let mut responses: Map<String, Value> = statuses(mounted)
        .map(|status| {
            let is_error = status.parse::<u16>().is_ok_and(|status| status >= 400);
            let mut response = json!({"description": meaning(status)});
            if let (true, Some(members)) = (is_error, response.as_object_mut()) {
                members.insert("content".to_owned(), error.clone());
            }
            (status.to_owned(), response)
        })
        .collect();
    responses.insert(
        "default".to_owned(),
        json!({"description": "The server failed.", "content": error}),
    );
    Value::Object(responses)
}

/// The statuses that the rows of the native protocol give for a route; 200 for what has no row.
fn statuses(mounted: &Mounted) -> impl Iterator<Item = &'static str> {
    let wanted = (mounted.method.as_str(), shape(&full_path(mounted)));
    let row = NATIVE_ROWS.lines().find_map(|line| {
        let mut columns = line.split('\t');
        let found = (columns.next()?, shape(columns.next()?));
        (found == wanted).then(|| columns.next()).flatten()
    });
    row.unwrap_or("200").split(' ')
}

/// A path with its parameters nameless.
fn shape(path: &str) -> String {
    path.split('/')
        .map(|segment| if segment.starts_with('{') { "{}" } else { segment })
        .collect::<Vec<_>>()
        .join("/")
}

fn meaning(status: &str) -> &'static str {
    match status {
        "200" => "Done.",
        "201" => "Created.",
        "204" => "Done; nothing to say.",
        "400" => "The request is wrong.",
        "401" => "The caller is not known.",
        "403" => "The caller may not.",
        "404" => "It does not exist.",
        "405" => "It is not done here.",
        "406" => "The client accepts no version that is spoken, or does not enforce read restrictions.",
        "409" => "It conflicts with what is there.",
        "412" => "It has another version by now.",
        "413" => "The body is too large.",
        "415" => "The body is of a media type that is not read.",
        "501" => "It is switched off.",
        "503" => "Something that is needed does not answer.",
        _ => "See the description of the protocol.",
    }
}

fn error_schema() -> Value {
    let codes: Vec<&str> = RestrictionCode::ALL.iter().map(|code| code.as_str()).collect();
    let message = format!(
        "What is wrong, where, and what to do. A refusal because of read restrictions has a stable code in brackets, for \
         which `docs/errors/<code>.md` has causes and remedy: {}.",
        codes.join(", ")
    );
    json!({
        "type": "object",
        "required": ["code", "type", "message"],
        "properties": {
            "code": {"type": "integer", "description": "The family of the error, 1001 to 1012."},
            "type": {"type": "string", "description": "The name of the exception that clients raise."},
            "message": {"type": "string", "description": message},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::document;
    use crate::listing::all_routes;

    #[test]
    fn every_mounted_route_is_in_the_document() {
        let routes = all_routes();
        let document = document(&routes);
        for mounted in routes.mounted() {
            let path = format!("{}{}", mounted.tree.base(), mounted.path);
            let method = mounted.method.as_str().to_ascii_lowercase();
            let operation = &document["paths"][&path][&method];
            assert!(operation["operationId"].is_string(), "{method} {path}");
            assert!(operation["responses"]["default"].is_object(), "{method} {path}");
        }
    }

    #[test]
    fn an_operation_says_what_it_takes() {
        let document = document(&all_routes());
        let load = &document["paths"]["/api/metalakes/{metalake}"]["get"];
        assert_eq!(load["operationId"], "LoadMetalake");
        assert_eq!(load["parameters"][0]["name"], "metalake");
        assert_eq!(load["description"], "Requires: member.");
        assert_eq!(load["responses"]["403"]["description"], "The caller may not.");
        assert!(document["paths"]["/configs"]["get"]["security"].is_null());
    }
}
