// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Job templates of a metalake.

use lakeward_metadata::Properties;
use lakeward_metadata::job_template::{
    JobTemplate, JobTemplateChange, JobTemplateContent, JobTemplateContentUpdate, JobTemplateDefinition,
    JobTemplateUpdate, NewJobTemplate, check_job_template_name,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::AuditDto;
use crate::json_object::{Members, kind};
use crate::request::{RequestError, required};
use crate::update::{new_comment, updates};

/// What every template has, in the form that is read.
const MEMBERS: [&str; 8] = [
    "jobType",
    "name",
    "comment",
    "executable",
    "arguments",
    "environments",
    "customFields",
    // Only written; clients that send back what they read may have it.
    "audit",
];

/// A job template as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobTemplateDto {
    /// `shell` or `spark`.
    pub job_type: String,
    /// Its name.
    pub name: String,
    /// Its comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The program.
    pub executable: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The environment of its process.
    pub environments: Properties,
    /// What only people and tools read.
    pub custom_fields: Properties,
    /// Who made and changed it.
    pub audit: AuditDto,
    /// Of a shell template: files beside the program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scripts: Option<Vec<String>>,
    /// Of a Spark template: the main class.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub class_name: Option<String>,
    /// Of a Spark template: libraries.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub jars: Option<Vec<String>>,
    /// Of a Spark template: files.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub files: Option<Vec<String>>,
    /// Of a Spark template: archives.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub archives: Option<Vec<String>>,
    /// Of a Spark template: settings.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub configs: Option<Properties>,
}

impl From<JobTemplate> for JobTemplateDto {
    fn from(template: JobTemplate) -> Self {
        let definition = template.definition;
        let mut dto = Self {
            job_type: definition.content.job_type().to_owned(),
            name: template.name,
            comment: template.comment,
            executable: definition.executable,
            arguments: definition.arguments,
            environments: definition.environments,
            custom_fields: definition.custom_fields,
            audit: (&template.audit).into(),
            scripts: None,
            class_name: None,
            jars: None,
            files: None,
            archives: None,
            configs: None,
        };
        match definition.content {
            JobTemplateContent::Shell { scripts } => dto.scripts = Some(scripts),
            JobTemplateContent::Spark {
                class_name,
                jars,
                files,
                archives,
                configs,
            } => {
                dto.class_name = class_name;
                dto.jars = Some(jars);
                dto.files = Some(files);
                dto.archives = Some(archives);
                dto.configs = Some(configs);
            }
        }
        dto
    }
}

/// Answer with one template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobTemplateResponse {
    /// Always 0.
    pub code: i32,
    /// The template.
    pub job_template: JobTemplateDto,
}

impl From<JobTemplate> for JobTemplateResponse {
    fn from(template: JobTemplate) -> Self {
        Self {
            code: 0,
            job_template: template.into(),
        }
    }
}

/// Answer of `GET …/jobs/templates?details=true`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobTemplateListResponse {
    /// Always 0.
    pub code: i32,
    /// The templates.
    pub job_templates: Vec<JobTemplateDto>,
}

/// `POST …/jobs/templates`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct JobTemplateRegisterRequest {
    /// The template; its members depend on its `jobType`.
    pub job_template: Option<Value>,
}

impl TryFrom<JobTemplateRegisterRequest> for NewJobTemplate {
    type Error = RequestError;

    fn try_from(request: JobTemplateRegisterRequest) -> Result<Self, RequestError> {
        let value = required("jobTemplate", request.job_template)?;
        let members = Members::of(&value, "jobTemplate")?;
        let job_type = members.required_text("jobType")?;
        let content = match job_type.to_ascii_lowercase().as_str() {
            "shell" => {
                only(members, &["scripts"])?;
                JobTemplateContent::Shell {
                    scripts: texts(members, "scripts")?.unwrap_or_default(),
                }
            }
            "spark" => {
                only(members, &["className", "jars", "files", "archives", "configs"])?;
                JobTemplateContent::Spark {
                    class_name: members.text("className")?.map(str::to_owned),
                    jars: texts(members, "jars")?.unwrap_or_default(),
                    files: texts(members, "files")?.unwrap_or_default(),
                    archives: texts(members, "archives")?.unwrap_or_default(),
                    configs: members.properties("configs")?,
                }
            }
            _ => {
                return Err(RequestError::invalid(
                    members.at("jobType"),
                    format!("`{job_type}` is not a type of job, expected one of: shell, spark"),
                ));
            }
        };
        Ok(Self {
            name: template_name(members, "name")?,
            comment: members.text("comment")?.map(str::to_owned),
            definition: JobTemplateDefinition {
                executable: members.required_text("executable")?.to_owned(),
                arguments: texts(members, "arguments")?.unwrap_or_default(),
                environments: members.properties("environments")?,
                custom_fields: members.properties("customFields")?,
                content,
            },
        })
    }
}

/// `PUT …/jobs/templates/{template}`: `rename`, `updateComment`, `updateTemplate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct JobTemplateUpdatesRequest {
    /// The changes; required, at least one.
    pub updates: Option<Vec<Value>>,
}

impl TryFrom<JobTemplateUpdatesRequest> for Vec<JobTemplateChange> {
    type Error = RequestError;

    fn try_from(request: JobTemplateUpdatesRequest) -> Result<Self, RequestError> {
        let given = request.updates.filter(|updates| !updates.is_empty());
        updates(
            given.as_deref(),
            |update_type, members| {
                Ok(Some(match update_type {
                    "rename" => JobTemplateChange::Rename(template_name(members, "newName")?),
                    "updateComment" => JobTemplateChange::UpdateComment(new_comment(members)?),
                    "updateTemplate" => {
                        let at = members.at("newTemplate");
                        let template = Members::of(members.required("newTemplate")?, &at)?;
                        JobTemplateChange::UpdateTemplate(Box::new(template_update(template)?))
                    }
                    _ => return Ok(None),
                }))
            },
            "job template",
        )
    }
}

fn template_update(members: Members<'_>) -> Result<JobTemplateUpdate, RequestError> {
    let job_type = members.required_text("@type")?;
    let content = match job_type.to_ascii_lowercase().as_str() {
        "shell" => JobTemplateContentUpdate::Shell {
            scripts: texts(members, "newScripts")?,
        },
        "spark" => JobTemplateContentUpdate::Spark {
            class_name: members.text("newClassName")?.map(str::to_owned),
            jars: texts(members, "newJars")?,
            files: texts(members, "newFiles")?,
            archives: texts(members, "newArchives")?,
            configs: map(members, "newConfigs")?,
        },
        _ => {
            return Err(RequestError::invalid(
                members.at("@type"),
                format!("`{job_type}` is not a type of job, expected one of: shell, spark"),
            ));
        }
    };
    let executable = match members.get("newExecutable") {
        None => None,
        Some(_) => Some(members.required_text("newExecutable")?.to_owned()),
    };
    Ok(JobTemplateUpdate {
        executable,
        arguments: texts(members, "newArguments")?,
        environments: map(members, "newEnvironments")?,
        custom_fields: map(members, "newCustomFields")?,
        content,
    })
}

fn only(members: Members<'_>, of_type: &[&str]) -> Result<(), RequestError> {
    let known: Vec<&str> = MEMBERS.iter().chain(of_type).copied().collect();
    members.only(&known).map(drop)
}

fn template_name(members: Members<'_>, member: &str) -> Result<String, RequestError> {
    let name = members.required_text(member)?;
    check_job_template_name(name)?;
    Ok(name.to_owned())
}

/// A list of texts; `None` where it is absent or null.
fn texts(members: Members<'_>, name: &str) -> Result<Option<Vec<String>>, RequestError> {
    if members.get(name).is_none() {
        return Ok(None);
    }
    members
        .each(name, |item, at| match item {
            Value::String(text) => Ok(text.clone()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Err(
                RequestError::invalid(at, format!("{} is given, a text is expected", kind(item))),
            ),
        })
        .map(Some)
}

/// Text properties; `None` where they are absent or null.
fn map(members: Members<'_>, name: &str) -> Result<Option<Properties>, RequestError> {
    members.get(name).map(|_| members.properties(name)).transpose()
}
