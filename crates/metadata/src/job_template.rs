// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Job templates: what a job runs, with places for the parameters of each run.

use serde::{Deserialize, Serialize};

use crate::Properties;
use crate::audit::Audit;
use crate::kind::ObjectKind;
use crate::name::NameError;

mod parameters;

pub use parameters::ResolvedTemplate;

/// What the names of templates begin with that the server itself keeps; nobody else may use it (Gravitino).
pub const BUILT_IN_PREFIX: &str = "builtin-";

/// The longest name of a template, in characters.
pub const MAX_JOB_TEMPLATE_NAME_CHARS: usize = 128;

/// A job template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobTemplate {
    /// Its name.
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// What it runs.
    pub definition: JobTemplateDefinition,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// A job template that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJobTemplate {
    /// Its name, checked with [`check_job_template_name`].
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// What it runs.
    pub definition: JobTemplateDefinition,
}

/// What a template runs. Every text may hold placeholders, `{{name}}`, that each run fills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobTemplateDefinition {
    /// The path or URI of the program.
    pub executable: String,
    /// Its arguments, one after the other; none is ever split or read by a shell.
    pub arguments: Vec<String>,
    /// The environment of its process; there is nothing else in it.
    pub environments: Properties,
    /// What only people and tools read.
    pub custom_fields: Properties,
    /// What depends on the type of the job.
    pub content: JobTemplateContent,
}

/// What depends on the type of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "jobType")]
pub enum JobTemplateContent {
    /// A program of the operating system.
    Shell {
        /// Paths or URIs of files that the program needs beside itself.
        scripts: Vec<String>,
    },
    /// An application of Apache Spark.
    #[serde(rename_all = "camelCase")]
    Spark {
        /// The main class; not needed for Python.
        class_name: Option<String>,
        /// Paths or URIs of libraries.
        jars: Vec<String>,
        /// Paths or URIs of files.
        files: Vec<String>,
        /// Paths or URIs of archives.
        archives: Vec<String>,
        /// Settings of Spark.
        configs: Properties,
    },
}

impl JobTemplateContent {
    /// The name of the type, as it is written (`shell`).
    pub const fn job_type(&self) -> &'static str {
        match self {
            Self::Shell { .. } => "shell",
            Self::Spark { .. } => "spark",
        }
    }
}

/// One change of a template; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobTemplateChange {
    /// Gives it another name, checked with [`check_job_template_name`].
    Rename(String),
    /// Gives it another comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Changes what it runs.
    UpdateTemplate(Box<JobTemplateUpdate>),
}

/// New values of a definition; `None` keeps the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobTemplateUpdate {
    /// The program.
    pub executable: Option<String>,
    /// All arguments.
    pub arguments: Option<Vec<String>>,
    /// The whole environment.
    pub environments: Option<Properties>,
    /// All fields for people and tools.
    pub custom_fields: Option<Properties>,
    /// What depends on the type of the job; it must be that of the template.
    pub content: JobTemplateContentUpdate,
}

/// New values of what depends on the type of a job; `None` keeps the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobTemplateContentUpdate {
    /// Of a program of the operating system.
    Shell {
        /// All files beside the program.
        scripts: Option<Vec<String>>,
    },
    /// Of an application of Apache Spark.
    Spark {
        /// The main class.
        class_name: Option<String>,
        /// All libraries.
        jars: Option<Vec<String>>,
        /// All files.
        files: Option<Vec<String>>,
        /// All archives.
        archives: Option<Vec<String>>,
        /// All settings of Spark.
        configs: Option<Properties>,
    },
}

/// An update for another type of job than that of the template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the template is of type `{template}` and cannot be changed by an update of type `{update}`")]
pub struct OtherJobType {
    /// The type of the template.
    pub template: &'static str,
    /// The type of the update.
    pub update: &'static str,
}

impl JobTemplateDefinition {
    /// Applies new values.
    ///
    /// # Errors
    /// [`OtherJobType`]; nothing is changed then.
    pub fn update(&mut self, update: JobTemplateUpdate) -> Result<(), OtherJobType> {
        let template = self.content.job_type();
        match (&mut self.content, update.content) {
            (JobTemplateContent::Shell { scripts }, JobTemplateContentUpdate::Shell { scripts: new }) => {
                set(scripts, new);
            }
            (
                JobTemplateContent::Spark {
                    class_name,
                    jars,
                    files,
                    archives,
                    configs,
                },
                JobTemplateContentUpdate::Spark {
                    class_name: new_class_name,
                    jars: new_jars,
                    files: new_files,
                    archives: new_archives,
                    configs: new_configs,
                },
            ) => {
                set(class_name, new_class_name.map(Some));
                set(jars, new_jars);
                set(files, new_files);
                set(archives, new_archives);
                set(configs, new_configs);
            }
            (JobTemplateContent::Shell { .. }, JobTemplateContentUpdate::Spark { .. }) => {
                return Err(OtherJobType {
                    template,
                    update: "spark",
                });
            }
            (JobTemplateContent::Spark { .. }, JobTemplateContentUpdate::Shell { .. }) => {
                return Err(OtherJobType {
                    template,
                    update: "shell",
                });
            }
        }
        set(&mut self.executable, update.executable);
        set(&mut self.arguments, update.arguments);
        set(&mut self.environments, update.environments);
        set(&mut self.custom_fields, update.custom_fields);
        Ok(())
    }
}

fn set<T>(place: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *place = new;
    }
}

/// Checks the name of a template: any text that is not blank, as for tags, within a length. Whether it is one of the
/// server's own is asked where templates are changed.
///
/// # Errors
/// [`NameError`].
pub fn check_job_template_name(name: &str) -> Result<(), NameError> {
    let kind = || ObjectKind::JobTemplate.lower_case().replace('_', " ");
    if name.trim().is_empty() {
        return Err(NameError::Empty(kind()));
    }
    if name.chars().count() > MAX_JOB_TEMPLATE_NAME_CHARS {
        return Err(NameError::Illegal {
            kind: kind(),
            name: name.to_owned(),
            rule: "at most 128 characters are allowed",
        });
    }
    if name.contains('\0') {
        return Err(NameError::Illegal {
            kind: kind(),
            name: name.replace('\0', "\u{fffd}"),
            rule: "it must not contain a NUL",
        });
    }
    Ok(())
}

/// Whether a name is one of those that the server keeps for its own templates.
pub fn is_built_in(name: &str) -> bool {
    name.starts_with(BUILT_IN_PREFIX)
}

#[cfg(test)]
mod tests;
