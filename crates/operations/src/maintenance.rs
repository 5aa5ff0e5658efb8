// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Maintenance of tables as jobs of built-in templates. The server does the work itself, in the name of who submitted the
//! job: before anything is read, before the commit and before each deletion of some files it is decided anew, by the rules
//! of a commit, whether they may.
//!
//! ```text
//! Maintenance::of_template(name)        which work a built-in template stands for
//! MaintenanceRequest::read              the parameters of a run
//! Operations::maintain                  the work (maintenance/run)
//! ```

mod request;
mod run;

use lakeward_job_executor::Work;
use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::job_template::{JobTemplateContent, JobTemplateDefinition};
use lakeward_metadata::kind::ObjectKind;
use lakeward_read_restrictions::admission::Trust;
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_store::{Area, NewObject, ObjectChange, Page, ROOT, Snapshot, Write};

use crate::Operations;
use crate::caller::{Call, Caller};
use crate::error::OperationError;
use crate::job_keeping::SYSTEM;
use crate::job_template::detail;
use request::MaintenanceRequest;

/// The field of a built-in template that says of which version it is, as the original calls it.
const VERSION: &str = "version";

/// The work of a built-in template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Maintenance {
    /// Expires snapshots and deletes the files that only they name.
    ExpireSnapshots,
    /// Deletes files in the table's location that nothing names.
    RemoveOrphanFiles,
    /// Deletes files of metadata that the table no longer keeps.
    CleanUpMetadataFiles,
}

impl Maintenance {
    const ALL: [Self; 3] = [
        Self::ExpireSnapshots,
        Self::RemoveOrphanFiles,
        Self::CleanUpMetadataFiles,
    ];

    /// What a template stands for.
    pub(crate) fn of_template(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|work| work.template() == name)
    }

    /// The name of its template; the first two are the original's.
    pub(crate) const fn template(self) -> &'static str {
        match self {
            Self::ExpireSnapshots => "builtin-iceberg-expire-snapshots",
            Self::RemoveOrphanFiles => "builtin-iceberg-remove-orphan-files",
            Self::CleanUpMetadataFiles => "builtin-iceberg-cleanup-metadata-files",
        }
    }

    const fn comment(self) -> &'static str {
        match self {
            Self::ExpireSnapshots => {
                "Expires snapshots of an Iceberg table and deletes the files that only they name"
            }
            Self::RemoveOrphanFiles => {
                "Deletes files in the location of an Iceberg table that nothing of it names"
            }
            Self::CleanUpMetadataFiles => "Deletes files of metadata that an Iceberg table no longer keeps",
        }
    }

    /// The parameters of a run, in the order in which the template shows them.
    const fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::ExpireSnapshots => &[
                "catalog_name",
                "table_identifier",
                "schema_name",
                "table_name",
                "older_than",
                "retain_last",
                "allow_recent",
                "max_files",
                "dry_run",
            ],
            Self::RemoveOrphanFiles | Self::CleanUpMetadataFiles => &[
                "catalog_name",
                "table_identifier",
                "schema_name",
                "table_name",
                "older_than",
                "allow_recent",
                "max_files",
                "dry_run",
            ],
        }
    }

    /// What the template shows. Nothing of it is run as a program: the server does the work itself.
    fn definition(self) -> JobTemplateDefinition {
        let argument = |name: &&str| [format!("--{}", name.replace('_', "-")), format!("{{{{{name}}}}}")];
        JobTemplateDefinition {
            executable: "lakeward".to_owned(),
            arguments: self.parameters().iter().flat_map(argument).collect(),
            environments: Properties::new(),
            custom_fields: Properties::from([(VERSION.to_owned(), "v1".to_owned())]),
            content: JobTemplateContent::Shell { scripts: Vec::new() },
        }
    }
}

impl Operations {
    /// Gives every metalake the built-in templates, in the version of this server.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn provide_built_in_job_templates(&self) -> Result<(), OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let metalakes = snapshot.children(ROOT, ObjectKind::Metalake, &Page::ALL).await?;
        let mut lacking = Vec::new();
        for metalake in metalakes {
            if lacks_any(&mut snapshot, metalake.id).await? {
                lacking.push(metalake.id);
            }
        }
        drop(snapshot);
        for metalake in lacking {
            let mut write = self.write_unasked(metalake, &[Area::Objects], SYSTEM).await?;
            provide(&mut write, metalake).await?;
            write.commit().await?;
        }
        Ok(())
    }

    /// The work of a run, for its caller, who may do it now.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for its parameters; what refuses the caller, or the table, as of a commit;
    /// [`OperationError::Unsupported`] for a table whose files are not kept here.
    pub(crate) async fn maintenance(
        &self,
        call: &Call,
        work: Maintenance,
        parameters: &Properties,
    ) -> Result<Work, OperationError> {
        let metalake = call.facts.metalake_name().unwrap_or_default();
        let request = MaintenanceRequest::read(work, metalake, parameters)?;
        // A job shows nothing and enforces nothing, whoever submitted it: what is restricted is refused.
        let caller = Caller {
            trust: Trust::Untrusted,
            capabilities: Capabilities::default(),
            ..call.caller.clone()
        };
        self.require_maintainable(&caller, &request).await?;
        let operations = self.clone();
        Ok(Work::new(move |mut log| async move {
            let done = operations.maintain(&caller, &request, &mut log).await;
            done.map_err(|error| told(&error, &caller.request_id))
        }))
    }
}

/// What a job says of its failure. What only the operator should know goes to the log of the server.
fn told(error: &OperationError, request_id: &str) -> String {
    let Some(detail) = error.detail() else {
        return error.to_string();
    };
    tracing::warn!(request_id, %error, detail, "maintenance of a table failed");
    format!("{error} (request id {request_id})")
}

/// Makes the built-in templates of a metalake, and brings those that are there to the version of this server.
pub(crate) async fn provide(write: &mut Write, metalake: ObjectId) -> Result<(), OperationError> {
    for work in Maintenance::ALL {
        let definition = detail(&work.definition())?;
        let comment = Some(work.comment().to_owned());
        match write
            .child(metalake, ObjectKind::JobTemplate, work.template())
            .await?
        {
            None => {
                let new = NewObject {
                    comment,
                    detail: definition,
                    ..NewObject::named(metalake, ObjectKind::JobTemplate, work.template())
                };
                write.create_object(&new).await?;
            }
            Some(row) if row.object.detail != definition || row.object.comment != comment => {
                let change = ObjectChange {
                    comment: Some(comment),
                    properties: None,
                    detail: Some(definition),
                };
                write.alter_object(row.object.id, &change).await?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}

async fn lacks_any(snapshot: &mut Snapshot, metalake: ObjectId) -> Result<bool, OperationError> {
    for work in Maintenance::ALL {
        let row = snapshot
            .child(metalake, ObjectKind::JobTemplate, work.template())
            .await?;
        let definition = detail(&work.definition())?;
        let is_current = row.is_some_and(|row| {
            row.object.detail == definition && row.object.comment.as_deref() == Some(work.comment())
        });
        if !is_current {
            return Ok(true);
        }
    }
    Ok(false)
}
