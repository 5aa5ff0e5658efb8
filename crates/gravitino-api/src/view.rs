// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views.

use lakeward_metadata::Properties;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;
use lakeward_metadata::view::{NewView, View, ViewBody, ViewChange, ViewRepresentation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::column;
use crate::json_object::{Members, each};
use crate::request::{RequestError, name, not_empty};
use crate::update::{remove_property, set_property, updates};

/// `POST …/views`. Unknown members are passed over, as the original does here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct ViewCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The columns that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<Value>>,
    /// The query in one or several dialects; at least one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub representations: Option<Vec<Value>>,
    /// The catalog of names without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_catalog: Option<String>,
    /// The schema of names without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_schema: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
}

impl TryFrom<ViewCreateRequest> for NewView {
    type Error = RequestError;

    fn try_from(request: ViewCreateRequest) -> Result<Self, RequestError> {
        let representations = not_empty("representations", request.representations)?;
        let body = checked(
            ViewBody {
                comment: request.comment,
                columns: each(&request.columns.unwrap_or_default(), "columns", column::from_json)?,
                representations: each(&representations, "representations", representation)?,
                default_catalog: not_blank(request.default_catalog),
                default_schema: not_blank(request.default_schema),
            },
            "representations",
        )?;
        Ok(Self {
            name: name("name", ObjectKind::View, request.name)?,
            body,
            properties: request.properties.unwrap_or_default(),
        })
    }
}

/// `PUT …/views/{view}`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct ViewUpdatesRequest {
    /// The changes; at least one.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<ViewUpdatesRequest> for Vec<ViewChange> {
    type Error = RequestError;

    fn try_from(request: ViewUpdatesRequest) -> Result<Self, RequestError> {
        let list = not_empty("updates", request.updates)?;
        updates(Some(&list), change, "view")
    }
}

fn change(update_type: &str, members: Members<'_>) -> Result<Option<ViewChange>, RequestError> {
    Ok(Some(match update_type {
        "rename" => {
            // A view stays in its schema: a member that asks for more must not be passed over.
            let members = members.only(&["@type", "newName"])?;
            ViewChange::Rename(Name::parse(ObjectKind::View, members.required_text("newName")?)?)
        }
        "setProperty" => {
            let (property, value) = set_property(members)?;
            ViewChange::SetProperty { property, value }
        }
        "removeProperty" => ViewChange::RemoveProperty(remove_property(members)?),
        "replaceView" => {
            let text = |name: &str| Ok::<_, RequestError>(members.text(name)?.map(str::to_owned));
            let at = members.at("representations");
            members.required("representations")?;
            let body = ViewBody {
                comment: text("comment")?,
                columns: members.each("columns", column::from_json)?,
                representations: members.each("representations", representation)?,
                default_catalog: not_blank(text("defaultCatalog")?),
                default_schema: not_blank(text("defaultSchema")?),
            };
            ViewChange::Replace(checked(body, &at)?)
        }
        _ => return Ok(None),
    }))
}

fn checked(body: ViewBody, at: &str) -> Result<ViewBody, RequestError> {
    match body.check() {
        Ok(()) => Ok(body),
        Err(error) => Err(RequestError::invalid(at, error)),
    }
}

fn not_blank(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn representation(value: &Value, path: &str) -> Result<ViewRepresentation, RequestError> {
    let members = Members::of(value, path)?;
    let kind = members.required_text("type")?;
    if !kind.eq_ignore_ascii_case("sql") {
        return Err(RequestError::invalid(
            members.at("type"),
            format!("`{kind}` is not a type of representation; `sql` is"),
        ));
    }
    Ok(ViewRepresentation {
        dialect: members.required_text("dialect")?.to_owned(),
        sql: members.required_text("sql")?.to_owned(),
    })
}

/// The query of a view in one dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepresentationDto {
    /// Always `sql`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The dialect.
    pub dialect: String,
    /// The text.
    pub sql: String,
}

/// A view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewDto {
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The columns that it answers.
    pub columns: Vec<Value>,
    /// The query in one or several dialects.
    pub representations: Vec<RepresentationDto>,
    /// The catalog of names without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_catalog: Option<String>,
    /// The schema of names without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_schema: Option<String>,
    /// Its settings.
    pub properties: Properties,
    /// Who made and changed it.
    pub audit: AuditDto,
}

impl From<&View> for ViewDto {
    fn from(view: &View) -> Self {
        let body = &view.body;
        Self {
            name: view.name.clone(),
            comment: body.comment.clone(),
            columns: body.columns.iter().map(column::to_json).collect(),
            representations: body
                .representations
                .iter()
                .map(|one| RepresentationDto {
                    kind: "sql".to_owned(),
                    dialect: one.dialect.clone(),
                    sql: one.sql.clone(),
                })
                .collect(),
            default_catalog: body.default_catalog.clone(),
            default_schema: body.default_schema.clone(),
            properties: view.properties.clone(),
            audit: AuditDto::from(&view.audit),
        }
    }
}

/// One view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ViewResponse {
    /// Always 0.
    pub code: i32,
    /// The view.
    pub view: ViewDto,
}

impl From<&View> for ViewResponse {
    fn from(view: &View) -> Self {
        Self {
            code: 0,
            view: view.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use lakeward_metadata::view::{NewView, ViewChange};
    use serde_json::{Value, json};

    use super::{ViewCreateRequest, ViewUpdatesRequest};

    fn created(body: Value) -> Result<NewView, String> {
        let request: ViewCreateRequest = serde_json::from_value(body).map_err(|error| error.to_string())?;
        request
            .try_into()
            .map_err(|error: super::RequestError| error.to_string())
    }

    fn altered(update: Value) -> Result<Vec<ViewChange>, String> {
        let request: ViewUpdatesRequest =
            serde_json::from_value(json!({ "updates": [update] })).map_err(|error| error.to_string())?;
        request
            .try_into()
            .map_err(|error: super::RequestError| error.to_string())
    }

    #[test]
    fn a_creation_is_understood_and_unknown_members_are_passed_over() {
        let new = created(json!({
            "name": "v", "comment": "c", "columns": [{"name": "id", "type": "long"}], "query": "select 1",
            "representations": [{"type": "sql", "dialect": "spark", "sql": "select 1", "more": 1}],
            "defaultCatalog": "ice", "defaultSchema": "a:b", "properties": {"k": "v"}
        }))
        .unwrap();
        assert_eq!(new.name.as_str(), "v");
        assert_eq!(new.body.representations[0].dialect, "spark");
        assert_eq!(new.body.columns[0].name, "id");
        assert_eq!(new.body.default_schema.as_deref(), Some("a:b"));
    }

    #[test]
    fn what_is_wrong_with_a_creation_is_named() {
        let spark = json!({"type": "sql", "dialect": "spark", "sql": "select 1"});
        for (body, expected) in [
            (json!({"name": "v"}), "representations"),
            (json!({"name": "v", "representations": []}), "representations"),
            (json!({"representations": [spark]}), "name"),
            (
                json!({"name": "v", "representations": [{"type": "sql", "dialect": "spark"}]}),
                "representations[0].sql",
            ),
            (
                json!({"name": "v", "representations": [{"type": "plan", "dialect": "spark", "sql": "x"}]}),
                "representations[0].type",
            ),
            (
                json!({"name": "v", "representations": [spark, {"type": "sql", "dialect": "SPARK", "sql": "x"}]}),
                "spark",
            ),
        ] {
            let error = created(body).unwrap_err();
            assert!(error.contains(expected), "{error} lacks {expected}");
        }
    }

    #[test]
    fn a_rename_takes_the_new_name_and_nothing_else() {
        assert!(matches!(
            altered(json!({"@type": "rename", "newName": "w"})).unwrap().as_slice(),
            [ViewChange::Rename(name)] if name.as_str() == "w"
        ));
        let error = altered(json!({"@type": "rename", "newName": "w", "newSchemaName": "s"})).unwrap_err();
        assert!(error.contains("newSchemaName"), "{error}");
        let error = altered(json!({"@type": "updateComment", "newComment": "w"})).unwrap_err();
        assert!(error.contains("updateComment"), "{error}");
    }

    #[test]
    fn a_replacement_replaces_all_parts_of_the_body() {
        let replaced = altered(json!({
            "@type": "replaceView", "unknown": true,
            "representations": [{"type": "sql", "dialect": "trino", "sql": "select 2"}]
        }))
        .unwrap();
        let [ViewChange::Replace(body)] = replaced.as_slice() else {
            panic!("{replaced:?}");
        };
        assert_eq!(body.comment, None);
        assert_eq!(body.default_schema, None);
        assert!(altered(json!({"@type": "replaceView", "columns": []})).is_err());
        assert!(altered(json!({"@type": "replaceView", "representations": []})).is_err());
    }
}
