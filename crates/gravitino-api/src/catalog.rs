// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Catalogs.

use lakeward_metadata::Properties;
use lakeward_metadata::catalog::{Catalog, CatalogChange, CatalogType, NewCatalog};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::metalake::{not_reserved, with_in_use, without_reserved};
use crate::request::{RequestError, name, not_blank};
use crate::secret::{SecretsDto, not_a_urn, secrets};
use crate::update::{new_comment, remove_property, set_property, updates};

/// `POST …/catalogs` and `POST …/catalogs/testConnection`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct CatalogCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// What it holds; required.
    #[serde(rename = "type")]
    pub catalog_type: Option<String>,
    /// What drives it; required for relational and messaging catalogs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Settings to be kept by a provider of secrets.
    #[serde(rename = "secretBindings", skip_serializing_if = "Option::is_none")]
    pub secret_bindings: Option<SecretsDto>,
    /// Settings that a provider of secrets keeps already.
    #[serde(rename = "secretReferences", skip_serializing_if = "Option::is_none")]
    pub secret_references: Option<SecretsDto>,
}

/// The name that old clients give to filesets.
const LEGACY_FILESET_PROVIDER: &str = "hadoop";

impl TryFrom<CatalogCreateRequest> for NewCatalog {
    type Error = RequestError;

    fn try_from(request: CatalogCreateRequest) -> Result<Self, RequestError> {
        let name = name("name", ObjectKind::Catalog, request.name)?;
        let catalog_type: CatalogType = not_blank("type", request.catalog_type)?
            .parse()
            .map_err(|error| RequestError::invalid("type", error))?;
        let given = request.provider.filter(|provider| !provider.trim().is_empty());
        let provider = match (given, catalog_type) {
            (Some(provider), CatalogType::Fileset)
                if provider.eq_ignore_ascii_case(LEGACY_FILESET_PROVIDER) =>
            {
                "fileset".to_owned()
            }
            (Some(provider), _) => provider.to_ascii_lowercase(),
            (None, _) => catalog_type
                .default_provider()
                .map(str::to_owned)
                .ok_or_else(|| RequestError::Missing("provider".to_owned()))?,
        };
        let properties = without_reserved(request.properties.unwrap_or_default())?;
        let secrets = secrets(&properties, request.secret_bindings, request.secret_references)?;
        secrets.keys().try_for_each(|property| not_reserved(property))?;
        Ok(Self {
            name,
            catalog_type,
            provider,
            comment: request.comment,
            properties,
            secrets,
        })
    }
}

/// `PUT …/catalogs/{catalog}`: `rename`, `updateComment`, `setProperty`, `removeProperty`. Also the body of testing
/// a stored catalog with changes that are not saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct CatalogUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<CatalogUpdatesRequest> for Vec<CatalogChange> {
    type Error = RequestError;

    fn try_from(request: CatalogUpdatesRequest) -> Result<Self, RequestError> {
        updates(
            request.updates.as_deref(),
            |update_type, members| {
                Ok(Some(match update_type {
                    "rename" => CatalogChange::Rename(Name::parse(
                        ObjectKind::Catalog,
                        members.required_text("newName")?,
                    )?),
                    "updateComment" => CatalogChange::UpdateComment(new_comment(members)?),
                    "setProperty" => {
                        let (property, value) = set_property(members)?;
                        not_reserved(&property)?;
                        not_a_urn(&members.at("value"), &value)?;
                        CatalogChange::SetProperty { property, value }
                    }
                    "removeProperty" => {
                        let property = remove_property(members)?;
                        not_reserved(&property)?;
                        CatalogChange::RemoveProperty(property)
                    }
                    _ => return Ok(None),
                }))
            },
            "catalog",
        )
    }
}

/// A catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogDto {
    /// Its name.
    pub name: String,
    /// What it holds, in lower case.
    #[serde(rename = "type")]
    pub catalog_type: String,
    /// What drives it.
    pub provider: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Its visible settings, with `in-use`.
    pub properties: Properties,
    /// Who made and changed it.
    pub audit: AuditDto,
}

impl From<&Catalog> for CatalogDto {
    fn from(catalog: &Catalog) -> Self {
        Self {
            name: catalog.name.clone(),
            catalog_type: catalog.catalog_type.as_str().to_owned(),
            provider: catalog.provider.clone(),
            comment: catalog.comment.clone(),
            properties: with_in_use(&catalog.properties, catalog.in_use),
            audit: changed_at_creation(AuditDto::from(&catalog.audit)),
        }
    }
}

/// The original counts the creation of a catalog as its first change.
fn changed_at_creation(mut audit: AuditDto) -> AuditDto {
    if audit.last_modifier.is_none() {
        audit.last_modifier.clone_from(&audit.creator);
        audit.last_modified_time.clone_from(&audit.create_time);
    }
    audit
}

/// One catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogResponse {
    /// Always 0.
    pub code: i32,
    /// The catalog.
    pub catalog: CatalogDto,
}

impl From<&Catalog> for CatalogResponse {
    fn from(catalog: &Catalog) -> Self {
        Self {
            code: 0,
            catalog: catalog.into(),
        }
    }
}

/// Several catalogs with their details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogListResponse {
    /// Always 0.
    pub code: i32,
    /// The catalogs.
    pub catalogs: Vec<CatalogDto>,
}
