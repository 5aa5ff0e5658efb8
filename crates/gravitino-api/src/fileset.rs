// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Filesets, their files and the locations of those.

use std::collections::BTreeMap;

use lakeward_metadata::Properties;
use lakeward_metadata::fileset::{
    FileInfo, Fileset, FilesetChange, FilesetType, NewFileset, UNNAMED_LOCATION,
};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::request::{RequestError, name};
use crate::secret::{SecretsDto, not_a_urn, secrets};
use crate::update::{new_comment, remove_property, set_property, updates};

/// `POST …/filesets`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct FilesetCreateRequest {
    /// Its name; required.
    pub name: Option<String>,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// `managed`, which is the default, or `external`, in any case.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub fileset_type: Option<String>,
    /// The location without a name; the same as `unknown` of the locations by name, which it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_location: Option<String>,
    /// Locations by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_locations: Option<BTreeMap<String, String>>,
    /// Its settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Settings to be kept by a provider of secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_bindings: Option<SecretsDto>,
    /// Settings that a provider of secrets keeps already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_references: Option<SecretsDto>,
}

impl TryFrom<FilesetCreateRequest> for NewFileset {
    type Error = RequestError;

    fn try_from(request: FilesetCreateRequest) -> Result<Self, RequestError> {
        let name = name("name", ObjectKind::Fileset, request.name)?;
        let fileset_type = match request.fileset_type {
            None => FilesetType::Managed,
            Some(text) => text
                .parse()
                .map_err(|error| RequestError::invalid("type", error))?,
        };
        let mut storage_locations = BTreeMap::new();
        for (name, location) in request.storage_locations.unwrap_or_default() {
            if name.trim().is_empty() || location.trim().is_empty() {
                return Err(RequestError::invalid(
                    format!("storageLocations.{name}"),
                    "neither the name of a location nor the location may be blank",
                ));
            }
            storage_locations.insert(name, location);
        }
        if let Some(location) = request.storage_location.filter(|text| !text.trim().is_empty()) {
            storage_locations.insert(UNNAMED_LOCATION.to_owned(), location);
        }
        let properties = request.properties.unwrap_or_default();
        let secrets = secrets(&properties, request.secret_bindings, request.secret_references)?;
        Ok(Self {
            name,
            comment: request.comment,
            fileset_type,
            storage_locations,
            properties,
            secrets,
        })
    }
}

/// `PUT …/filesets/{fileset}`: `rename`, `updateComment`, `removeComment`, `setProperty`, `removeProperty`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct FilesetUpdatesRequest {
    /// The changes; required, may be empty.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<FilesetUpdatesRequest> for Vec<FilesetChange> {
    type Error = RequestError;

    fn try_from(request: FilesetUpdatesRequest) -> Result<Self, RequestError> {
        updates(
            request.updates.as_deref(),
            |update_type, members| {
                Ok(Some(match update_type {
                    "rename" => FilesetChange::Rename(Name::parse(
                        ObjectKind::Fileset,
                        members.required_text("newName")?,
                    )?),
                    "updateComment" => FilesetChange::UpdateComment(new_comment(members)?),
                    "removeComment" => FilesetChange::UpdateComment(None),
                    "setProperty" => {
                        let (property, value) = set_property(members)?;
                        not_a_urn(&members.at("value"), &value)?;
                        FilesetChange::SetProperty { property, value }
                    }
                    "removeProperty" => FilesetChange::RemoveProperty(remove_property(members)?),
                    _ => return Ok(None),
                }))
            },
            "fileset",
        )
    }
}

/// A fileset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FilesetDto {
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// `managed` or `external`.
    #[serde(rename = "type")]
    pub fileset_type: String,
    /// The location without a name, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_location: Option<String>,
    /// All locations by name.
    pub storage_locations: BTreeMap<String, String>,
    /// Its settings.
    pub properties: Properties,
    /// Who made and changed it.
    pub audit: AuditDto,
}

impl From<&Fileset> for FilesetDto {
    fn from(fileset: &Fileset) -> Self {
        Self {
            name: fileset.name.clone(),
            comment: fileset.comment.clone(),
            fileset_type: fileset.fileset_type.as_str().to_owned(),
            storage_location: fileset.storage_locations.get(UNNAMED_LOCATION).cloned(),
            storage_locations: fileset.storage_locations.clone(),
            properties: fileset.properties.clone(),
            audit: AuditDto::from(&fileset.audit),
        }
    }
}

/// One fileset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesetResponse {
    /// Always 0.
    pub code: i32,
    /// The fileset.
    pub fileset: FilesetDto,
}

impl From<&Fileset> for FilesetResponse {
    fn from(fileset: &Fileset) -> Self {
        Self {
            code: 0,
            fileset: fileset.into(),
        }
    }
}

/// A file or folder of a fileset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileInfoDto {
    /// Its name in its folder.
    pub name: String,
    /// Whether it is a folder.
    pub is_dir: bool,
    /// Bytes of a file; 0 for a folder.
    pub size: u64,
    /// When it was last changed, in epoch milliseconds.
    pub last_modified: i64,
    /// The folder that it lies in, as the clients' file system names it: `/fileset/{catalog}/{schema}/{fileset}` and the
    /// path that was asked for.
    pub path: String,
}

/// The files and folders directly in a folder of a fileset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileInfoListResponse {
    /// Always 0.
    pub code: i32,
    /// The files and folders, by name.
    pub files: Vec<FileInfoDto>,
}

impl FileInfoListResponse {
    /// The answer for what was found at a path of a fileset, given by catalog, schema and name.
    pub fn of(fileset: [&str; 3], sub_path: &str, files: Vec<FileInfo>) -> Self {
        let mut path = format!("/fileset/{}", fileset.join("/"));
        let below = sub_path.strip_suffix('/').unwrap_or(sub_path);
        if !sub_path.trim().is_empty() {
            if !below.starts_with('/') {
                path.push('/');
            }
            path.push_str(below);
        }
        Self {
            code: 0,
            files: files
                .into_iter()
                .map(|file| FileInfoDto {
                    name: file.name,
                    is_dir: file.is_folder,
                    size: file.size,
                    last_modified: file.last_modified,
                    path: path.clone(),
                })
                .collect(),
        }
    }
}

/// The location of a file of a fileset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileLocationResponse {
    /// Always 0.
    pub code: i32,
    /// The location, as clients open it.
    pub file_location: String,
}

#[cfg(test)]
mod tests {
    use lakeward_metadata::fileset::FileInfo;

    use super::FileInfoListResponse;

    #[test]
    fn files_are_told_by_the_folder_that_was_asked_for() {
        let path = |sub_path: &str| {
            let file = FileInfo {
                name: "x".to_owned(),
                is_folder: false,
                size: 1,
                last_modified: 2,
            };
            let answer = FileInfoListResponse::of(["files", "s1", "f1"], sub_path, vec![file]);
            answer
                .files
                .first()
                .map(|file| file.path.clone())
                .unwrap_or_default()
        };
        // As recorded.
        assert_eq!(path("/"), "/fileset/files/s1/f1/");
        assert_eq!(path(""), "/fileset/files/s1/f1");
        assert_eq!(path("dir"), "/fileset/files/s1/f1/dir");
        assert_eq!(path("/dir/in/"), "/fileset/files/s1/f1/dir/in");
    }
}
