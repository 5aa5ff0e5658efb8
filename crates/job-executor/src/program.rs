// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From a template whose placeholders are filled to what is run: which files are needed, and which words call it.

use std::path::{Path, PathBuf};

use lakeward_metadata::Properties;
use lakeward_metadata::job_template::{JobTemplateContent, ResolvedTemplate};
use url::Url;

use crate::error::ExecutorError;

/// What a job runs: the files that it needs, and how it is called once they are in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub(crate) files: Vec<Source>,
    pub(crate) environment: Properties,
    call: Call,
}

/// A file of this machine, and the name that it gets in the folder of the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// Its name there.
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Call {
    Shell {
        executable: String,
        arguments: Vec<String>,
    },
    Spark {
        submit: PathBuf,
        options: Vec<SparkOption>,
        executable: String,
        arguments: Vec<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SparkOption {
    Text(&'static str, String),
    Files(&'static str, Vec<String>),
}

impl Program {
    /// Reads a template.
    ///
    /// # Errors
    /// [`ExecutorError::Refused`] for a file that cannot be fetched, two files of one name, an environment that cannot be,
    /// and for Spark where no Spark is.
    pub(crate) fn of(
        ResolvedTemplate(template): &ResolvedTemplate,
        spark_home: Option<&Path>,
    ) -> Result<Self, ExecutorError> {
        let mut files = Vec::new();
        let executable = take(&mut files, "executable", &template.executable)?;
        check_text("arguments", &template.arguments)?;
        for (name, value) in &template.environments {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                return Err(ExecutorError::Refused(format!(
                    "`environments`: `{}` cannot be a variable of an environment",
                    name.replace('\0', "\u{fffd}")
                )));
            }
        }
        let arguments = template.arguments.clone();
        let call = match &template.content {
            JobTemplateContent::Shell { scripts } => {
                take_all(&mut files, "scripts", scripts)?;
                Call::Shell {
                    executable,
                    arguments,
                }
            }
            JobTemplateContent::Spark {
                class_name,
                jars,
                files: beside,
                archives,
                configs,
            } => {
                let Some(home) = spark_home else {
                    return Err(ExecutorError::Refused(
                        "the template is for Spark, and this server has none: \
                         `gravitino.jobExecutor.local.sparkHome` is not set"
                            .to_owned(),
                    ));
                };
                let mut options = Vec::new();
                if let Some(class_name) = class_name {
                    check_text("className", std::slice::from_ref(class_name))?;
                    options.push(SparkOption::Text("--class", class_name.clone()));
                }
                for (option, member, list) in [
                    ("--jars", "jars", jars),
                    ("--files", "files", beside),
                    ("--archives", "archives", archives),
                ] {
                    let names = take_all(&mut files, member, list)?;
                    if !names.is_empty() {
                        options.push(SparkOption::Files(option, names));
                    }
                }
                for (key, value) in configs {
                    let setting = format!("{key}={value}");
                    check_text("configs", std::slice::from_ref(&setting))?;
                    options.push(SparkOption::Text("--conf", setting));
                }
                Call::Spark {
                    submit: home.join("bin").join("spark-submit"),
                    options,
                    executable,
                    arguments,
                }
            }
        };
        Ok(Self {
            files,
            environment: template.environments.clone(),
            call,
        })
    }

    /// The words of the call, the program first, once the files are in a folder. They are handed to the program as they
    /// are; no shell reads them.
    pub(crate) fn words(&self, folder: &Path) -> Result<Vec<String>, ExecutorError> {
        let folder = folder.to_str().ok_or_else(|| {
            ExecutorError::Failed(format!("the staging folder `{}` is no UTF-8", folder.display()))
        })?;
        let place = |name: &String| format!("{folder}/{name}");
        match &self.call {
            Call::Shell {
                executable,
                arguments,
            } => Ok(std::iter::once(place(executable))
                .chain(arguments.iter().cloned())
                .collect()),
            Call::Spark {
                submit,
                options,
                executable,
                arguments,
            } => {
                let mut words = vec![submit.display().to_string()];
                for option in options {
                    match option {
                        SparkOption::Text(name, text) => words.extend([(*name).to_owned(), text.clone()]),
                        SparkOption::Files(name, files) => {
                            let places: Vec<String> = files.iter().map(place).collect();
                            words.extend([(*name).to_owned(), places.join(",")]);
                        }
                    }
                }
                words.push(place(executable));
                words.extend(arguments.iter().cloned());
                Ok(words)
            }
        }
    }
}

/// No word of a call may hold a NUL: it would end there.
fn check_text(member: &str, texts: &[String]) -> Result<(), ExecutorError> {
    if texts.iter().any(|text| text.contains('\0')) {
        return Err(ExecutorError::Refused(format!(
            "`{member}` must not contain a NUL"
        )));
    }
    Ok(())
}

fn take_all(files: &mut Vec<Source>, member: &str, places: &[String]) -> Result<Vec<String>, ExecutorError> {
    places.iter().map(|place| take(files, member, place)).collect()
}

/// Adds a file and gives the name that it gets in the folder of the job.
fn take(files: &mut Vec<Source>, member: &str, place: &str) -> Result<String, ExecutorError> {
    let path = path_of(place).map_err(|reason| {
        ExecutorError::Refused(format!(
            "`{member}`: `{}` cannot be fetched: {reason}",
            place.replace('\0', "\u{fffd}")
        ))
    })?;
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .filter(|name| !name.contains(','))
        .ok_or_else(|| {
            ExecutorError::Refused(format!("`{member}`: `{place}` has no name that a file can have"))
        })?
        .to_owned();
    if files.iter().any(|known| known.name == name && known.path != path) {
        return Err(ExecutorError::Refused(format!(
            "`{member}`: two files would be named `{name}` in the folder of the job"
        )));
    }
    if !files.iter().any(|known| known.name == name) {
        files.push(Source {
            path,
            name: name.clone(),
        });
    }
    Ok(name)
}

/// The file of this machine that a path or URI names.
fn path_of(place: &str) -> Result<PathBuf, &'static str> {
    const ABSOLUTE: &str = "an absolute path or a `file:` URI is expected";
    if place.contains('\0') {
        return Err("a path must not contain a NUL");
    }
    if place.starts_with('/') {
        return Ok(PathBuf::from(place));
    }
    let Ok(url) = Url::parse(place) else {
        return Err(ABSOLUTE);
    };
    if url.scheme() != "file" {
        return Err(
            "only files of the server's machine are fetched; put it there and name it by `file:///PATH`",
        );
    }
    if url.fragment().is_some() || url.query().is_some() {
        return Err("a `file:` URI must have neither query nor fragment");
    }
    let path = url.to_file_path().map_err(|()| ABSOLUTE)?;
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err("a path must not contain a NUL");
    }
    Ok(path)
}
