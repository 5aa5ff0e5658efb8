// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Credentials of objects, in the native protocol. This build vends none, so the list is empty where no provider of
//! credentials is configured; where one is, nothing is given out that would reach the files of a restricted table.

use lakeward_authorization::Authorized;
use lakeward_metadata::kind::ObjectKind;
use lakeward_read_restrictions::code::RestrictionCode;

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::paths::ObjectPath;

/// The property of a catalog or schema that names providers of credentials.
const PROVIDERS: &str = "credential-providers";

impl Operations {
    /// Checks that the credentials of an object may be given to the caller, of which there are none.
    ///
    /// # Errors
    /// [`OperationError::Unsupported`] for kinds without credentials, and for configured providers;
    /// [`OperationError::NotFound`]; [`OperationError::Disabled`]; [`OperationError::Restriction`] where a credential
    /// would reach a restricted table.
    pub async fn require_no_credentials(
        &self,
        call: &Call,
        object: Authorized<ObjectPath>,
    ) -> Result<(), OperationError> {
        let found = call.facts.found()?;
        let kind = object.object.kind;
        if !matches!(
            kind,
            ObjectKind::Catalog | ObjectKind::Fileset | ObjectKind::Table
        ) {
            return Err(OperationError::Unsupported(format!(
                "a {} has no credentials; catalogs, filesets and tables have",
                kind.lower_case().replace('_', " ")
            )));
        }
        let row = found
            .chain
            .object()
            .ok_or_else(|| OperationError::not_found(Noun::MetadataObject, object.object.full_name()))?;
        call.facts.require_metalake_in_use()?;
        if kind == ObjectKind::Table {
            self.refuse_hidden_facts(call, found, "credentials").await?;
        }
        let configured = found
            .chain
            .rows
            .iter()
            .filter_map(|row| row.object.properties.get(PROVIDERS))
            .any(|providers| providers.split(',').any(|name| !name.trim().is_empty()));
        if !configured {
            return Ok(());
        }
        if kind != ObjectKind::Table {
            // A catalog's credentials reach its own tables. Those of filesets reach whatever the same account of the
            // storage does, and tables may lie there too.
            let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
            let metalake = row.object.metalake_id;
            let has_filesets = self.provider_of(&object.metalake, catalog)?.filesets().is_some();
            let scope = if has_filesets { metalake } else { catalog.id };
            let mut snapshot = self.store().snapshot().await?;
            if self.is_restricted_below(&mut snapshot, metalake, scope).await? {
                return Err(OperationError::Restriction {
                    code: RestrictionCode::Facts,
                    message: "a credential of this object would reach files of a table that has read restrictions; ask for \
                              the credentials of single tables"
                        .to_owned(),
                    transient: false,
                    detail: "the scope of a credential covers a restricted table".to_owned(),
                });
            }
        }
        Err(OperationError::Unsupported(
            "this server vends no credentials; take `credential-providers` out of the catalog's properties"
                .to_owned(),
        ))
    }
}
