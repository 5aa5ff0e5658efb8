// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Bodies of `fixtures/gravitino-api`: what is understood, what it becomes, what is refused and in which words.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::fmt::Debug;

use lakeward_gravitino_api::catalog::{CatalogCreateRequest, CatalogResponse};
use lakeward_gravitino_api::fileset::{FilesetCreateRequest, FilesetResponse, FilesetUpdatesRequest};
use lakeward_gravitino_api::function::{FunctionRegisterRequest, FunctionResponse, FunctionUpdatesRequest};
use lakeward_gravitino_api::job_template::{
    JobTemplateDto, JobTemplateRegisterRequest, JobTemplateUpdatesRequest,
};
use lakeward_gravitino_api::lineage::{LineageRequest, RunEvent};
use lakeward_gravitino_api::metalake::{MetalakeCreateRequest, MetalakeResponse};
use lakeward_gravitino_api::model::{ModelRegisterRequest, ModelResponse, ModelUpdatesRequest};
use lakeward_gravitino_api::model_version::{
    ModelVersionLinkRequest, ModelVersionResponse, ModelVersionUpdatesRequest,
};
use lakeward_gravitino_api::object_tag::{NamesChange, TagNamesRequest, TagValuesRequest, ValuesChange};
use lakeward_gravitino_api::policy_on_tag::{PolicyOnTagRequest, SelectedValue};
use lakeward_gravitino_api::request::{RequestError, read};
use lakeward_gravitino_api::role::{RoleCreateRequest, RoleToCreate, SecurableObjectDto};
use lakeward_gravitino_api::schema::{SchemaCreateRequest, SchemaResponse};
use lakeward_gravitino_api::table::{TableCreateRequest, TableDto};
use lakeward_gravitino_api::table_update::TableUpdatesRequest;
use lakeward_gravitino_api::{data_type, tag, user};
use lakeward_metadata::audit::Audit;
use lakeward_metadata::catalog::{Catalog, NewCatalog};
use lakeward_metadata::fileset::{Fileset, FilesetChange, NewFileset};
use lakeward_metadata::function::{Function, FunctionChange, NewFunction};
use lakeward_metadata::job_template::{JobTemplate, JobTemplateChange, NewJobTemplate};
use lakeward_metadata::metalake::{Metalake, NewMetalake};
use lakeward_metadata::model::{
    Model, ModelChange, ModelVersion, ModelVersionBody, ModelVersionChange, NewModel,
};
use lakeward_metadata::schema::{NewSchema, Schema};
use lakeward_metadata::table::{NewTable, Table, TableChange};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Runs every case of a file: `answer` turns a request body into what is written, or into its meaning as text.
fn check(file: &str, answer: impl Fn(&Value) -> Result<Value, RequestError>) {
    let path = format!(
        "{}/../../fixtures/gravitino-api/{file}",
        env!("CARGO_MANIFEST_DIR")
    );
    let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        if let Some(body) = case.get("read") {
            let expected = case
                .get("written")
                .or_else(|| case.get("meaning"))
                .unwrap_or(body);
            assert_eq!(answer(body).as_ref(), Ok(expected), "{file}: {body}");
        } else {
            let body = case.get("refused").unwrap();
            let Err(error) = answer(body) else {
                panic!("{file}: {body} should be refused");
            };
            let message = error.to_string();
            let (message, _) = message.split_once(" at line ").unwrap_or((&message, ""));
            assert_eq!(
                Some(message),
                case.get("message").and_then(Value::as_str),
                "{file}: {body}"
            );
        }
    }
}

fn parse<T: DeserializeOwned>(body: &Value) -> Result<T, RequestError> {
    read(&serde_json::to_vec(body).unwrap())
}

/// The meaning of a request as text.
fn meaning<R, T>(body: &Value) -> Result<Value, RequestError>
where
    R: DeserializeOwned,
    T: TryFrom<R, Error = RequestError> + Debug,
{
    let request: R = parse(body)?;
    Ok(Value::String(format!("{:?}", T::try_from(request)?)))
}

fn audit() -> Audit {
    Audit {
        creator: "ann".to_owned(),
        create_time: 1_700_000_000_000,
        last_modifier: None,
        last_modified_time: None,
    }
}

#[test]
fn data_types() {
    check("table/data-types.json", |body| {
        data_type::from_json(body, "type").map(|read| data_type::to_json(&read))
    });
}

#[test]
fn table_create() {
    check("table/create.json", |body| {
        let new = NewTable::try_from(parse::<TableCreateRequest>(body)?)?;
        let table = Table {
            name: new.name.as_str().to_owned(),
            definition: new.definition,
            audit: audit(),
        };
        Ok(serde_json::to_value(TableDto::from(&table)).unwrap())
    });
}

#[test]
fn table_updates() {
    check("table/updates.json", |update| {
        let request: TableUpdatesRequest = parse(&json!({"updates": [update]}))?;
        let changes = Vec::<TableChange>::try_from(request)?;
        Ok(Value::String(format!("{:?}", changes.first().unwrap())))
    });
    let none = Vec::<TableChange>::try_from(TableUpdatesRequest {
        updates: Some(Vec::new()),
    });
    assert_eq!(none, Err(RequestError::Missing("updates".to_owned())));
}

#[test]
fn metalake_create() {
    check("metalake/create.json", |body| {
        let new = NewMetalake::try_from(parse::<MetalakeCreateRequest>(body)?)?;
        let metalake = Metalake {
            name: new.name.as_str().to_owned(),
            comment: new.comment,
            properties: new.properties,
            in_use: true,
            audit: audit(),
        };
        Ok(serde_json::to_value(MetalakeResponse::created(&metalake)).unwrap())
    });
}

#[test]
fn catalog_create() {
    check("catalog/create.json", |body| {
        let new = NewCatalog::try_from(parse::<CatalogCreateRequest>(body)?)?;
        let catalog = Catalog {
            name: new.name.as_str().to_owned(),
            catalog_type: new.catalog_type,
            provider: new.provider,
            comment: new.comment,
            properties: new.properties,
            in_use: true,
            audit: audit(),
        };
        Ok(serde_json::to_value(CatalogResponse::from(&catalog)).unwrap())
    });
}

#[test]
fn schema_create() {
    check("schema/create.json", |body| {
        let new = NewSchema::try_from(parse::<SchemaCreateRequest>(body)?)?;
        let schema = Schema {
            name: new.name,
            comment: new.comment,
            properties: new.properties,
            audit: audit(),
        };
        Ok(serde_json::to_value(SchemaResponse::from(&schema)).unwrap())
    });
}

#[test]
fn job_template_register() {
    check("job-template/register.json", |body| {
        let request: JobTemplateRegisterRequest = parse(&json!({"jobTemplate": body}))?;
        let new = NewJobTemplate::try_from(request)?;
        let template = JobTemplate {
            name: new.name,
            comment: new.comment,
            definition: new.definition,
            audit: audit(),
        };
        Ok(serde_json::to_value(JobTemplateDto::from(template)).unwrap())
    });
}

#[test]
fn job_template_updates() {
    check("job-template/updates.json", |update| {
        let request: JobTemplateUpdatesRequest = parse(&json!({"updates": [update]}))?;
        let changes = Vec::<JobTemplateChange>::try_from(request)?;
        Ok(Value::String(format!("{:?}", changes.first().unwrap())))
    });
}

#[test]
fn model_register() {
    check("model/register.json", |body| {
        let new = NewModel::try_from(parse::<ModelRegisterRequest>(body)?)?;
        let model = Model {
            name: new.name.as_str().to_owned(),
            comment: new.comment,
            properties: new.properties,
            latest_version: 0,
            audit: audit(),
        };
        Ok(serde_json::to_value(ModelResponse::from(&model)).unwrap())
    });
}

#[test]
fn model_version_link() {
    check("model/version-link.json", |body| {
        let version = ModelVersion {
            version: 7,
            body: ModelVersionBody::try_from(parse::<ModelVersionLinkRequest>(body)?)?,
            audit: audit(),
        };
        Ok(serde_json::to_value(ModelVersionResponse::from(&version)).unwrap())
    });
}

#[test]
fn model_updates() {
    check("model/updates.json", |update| {
        let request: ModelUpdatesRequest = parse(&json!({"updates": [update]}))?;
        let changes = Vec::<ModelChange>::try_from(request)?;
        Ok(Value::String(format!("{:?}", changes.first().unwrap())))
    });
    check("model/version-updates.json", |update| {
        let request: ModelVersionUpdatesRequest = parse(&json!({"updates": [update]}))?;
        let changes = Vec::<ModelVersionChange>::try_from(request)?;
        Ok(Value::String(format!("{:?}", changes.first().unwrap())))
    });
}

#[test]
fn function_register() {
    check("function/register.json", |body| {
        let new = NewFunction::try_from(parse::<FunctionRegisterRequest>(body)?)?;
        let function = Function {
            name: new.name.as_str().to_owned(),
            comment: new.comment,
            body: new.body,
            audit: audit(),
        };
        Ok(serde_json::to_value(FunctionResponse::from(&function)).unwrap())
    });
}

#[test]
fn function_updates() {
    check("function/updates.json", |update| {
        let request: FunctionUpdatesRequest = parse(&json!({"updates": [update]}))?;
        let changes = Vec::<FunctionChange>::try_from(request)?;
        Ok(Value::String(format!("{:?}", changes.first().unwrap())))
    });
}

#[test]
fn fileset_create() {
    check("fileset/create.json", |body| {
        let new = NewFileset::try_from(parse::<FilesetCreateRequest>(body)?)?;
        let fileset = Fileset {
            name: new.name.as_str().to_owned(),
            comment: new.comment,
            fileset_type: new.fileset_type,
            storage_locations: new.storage_locations,
            properties: new.properties,
            audit: audit(),
        };
        Ok(serde_json::to_value(FilesetResponse::from(&fileset)).unwrap())
    });
}

#[test]
fn fileset_updates() {
    check("fileset/updates.json", |update| {
        let request: FilesetUpdatesRequest = parse(&json!({"updates": [update]}))?;
        let changes = Vec::<FilesetChange>::try_from(request)?;
        Ok(Value::String(format!("{:?}", changes.first().unwrap())))
    });
    let of = |updates| Vec::<FilesetChange>::try_from(FilesetUpdatesRequest { updates });
    assert_eq!(of(Some(Vec::new())), Ok(Vec::new()));
    assert_eq!(of(None), Err(RequestError::Missing("updates".to_owned())));
}

#[test]
fn run_events() {
    check("lineage/run-event.json", |body| {
        RunEvent::try_from(parse::<LineageRequest>(body)?).map(|RunEvent(event)| event)
    });
}

#[test]
fn role_securable_objects() {
    check("role/securable-objects.json", |body| {
        let request: RoleCreateRequest = parse(&json!({"name": "r", "securableObjects": body}))?;
        let role = RoleToCreate::try_from(request)?;
        let written: Vec<SecurableObjectDto> = role
            .securable_objects
            .iter()
            .map(SecurableObjectDto::from)
            .collect();
        Ok(serde_json::to_value(written).unwrap())
    });
}

#[test]
fn tags_on_objects() {
    check("tag/on-object.json", meaning::<TagNamesRequest, NamesChange>);
    check(
        "tag/on-object-values.json",
        meaning::<TagValuesRequest, ValuesChange>,
    );
}

#[test]
fn policy_selectors() {
    check(
        "policy/selector.json",
        meaning::<PolicyOnTagRequest, SelectedValue>,
    );
}

#[test]
fn members_that_are_always_written_are_written_as_null() {
    let dto = tag::TagDto {
        name: "pii".to_owned(),
        comment: None,
        properties: lakeward_metadata::Properties::new(),
        allowed_values: Some(Vec::new()),
        assignment_values: None,
        audit: (&audit()).into(),
        inherited: None,
    };
    assert_eq!(
        serde_json::to_string(&dto).unwrap(),
        r#"{"name":"pii","properties":{},"allowedValues":[],"audit":{"creator":"ann","createTime":"2023-11-14T22:13:20Z"},"inherited":null}"#
    );
}

#[test]
fn an_explicit_enabled_is_honoured_and_a_blank_external_id_refused() {
    let add = |body: Value| user::UserToAdd::try_from(parse::<user::UserAddRequest>(&body)?);
    assert!(!add(json!({"name": "gus", "enabled": false})).unwrap().enabled);
    assert!(add(json!({"name": "gus"})).unwrap().enabled);
    assert_eq!(
        add(json!({"name": "gus", "externalId": " "})),
        Err(RequestError::invalid(
            "externalId",
            "leave it out rather than blank"
        ))
    );
}
