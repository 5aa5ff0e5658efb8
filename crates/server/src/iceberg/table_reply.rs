// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Answers that show a table, and the form of the table that a request asks for.

use http::{HeaderName, StatusCode, header};
use lakeward_iceberg_api::access_delegation::{ACCESS_DELEGATION_HEADER, AccessDelegation};
use lakeward_iceberg_api::etag::IfNoneMatch;
use lakeward_iceberg_api::load_table::{LoadTableResult, SnapshotsMode, TableContents};
use lakeward_operations::OperationError;
use lakeward_operations::delegation::DelegationWish;
use lakeward_operations::etag::Representation;
use lakeward_operations::load_governed_table::ServedTable;

use super::request::refuse;
use super::storage_access::{storage_credentials, table_config};
use crate::http::parts::Parts;
use crate::http::reply::Reply;

/// What shapes the answer beside the URL. An answer is for one caller through one reader, so shared caches must not
/// keep it and private ones must ask.
const VARY: &str =
    "Authorization, X-Iceberg-Access-Delegation, X-Gravitino-Client-Capabilities, X-Gravitino-Active-Roles";

/// The form that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WantedForm {
    snapshots: SnapshotsMode,
    delegation: AccessDelegation,
}

impl WantedForm {
    /// Reads query and headers of a load.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for a snapshots mode that is none.
    pub(super) fn of(parts: &Parts) -> Result<Self, OperationError> {
        let snapshots = SnapshotsMode::new(parts.query("snapshots")).map_err(refuse)?;
        Ok(Self {
            snapshots,
            ..Self::of_change(parts)
        })
    }

    /// Reads the headers of a change, whose answer always has all snapshots.
    pub(super) fn of_change(parts: &Parts) -> Self {
        Self {
            snapshots: SnapshotsMode::All,
            delegation: AccessDelegation::parse(&lines(parts, ACCESS_DELEGATION_HEADER)),
        }
    }

    /// The form of a request for credentials alone, whatever its headers say.
    pub(super) fn of_credentials() -> Self {
        Self {
            snapshots: SnapshotsMode::All,
            delegation: AccessDelegation {
                vended_credentials: true,
                remote_signing: false,
            },
        }
    }

    /// As the operations take it.
    pub(super) fn representation(self) -> Representation<'static> {
        Representation {
            snapshots: self.snapshots.as_str(),
            wish: DelegationWish {
                vended_credentials: self.delegation.vended_credentials,
                remote_signing: self.delegation.remote_signing,
            },
        }
    }

    /// The answer for a table that passed the gate.
    ///
    /// # Errors
    /// What is wrong with the stored metadata.
    pub(super) fn reply(
        self,
        served: &ServedTable,
        parts: &Parts,
        is_staged: bool,
    ) -> Result<Reply, OperationError> {
        let table = served.table.value();
        let metadata = match self.snapshots {
            SnapshotsMode::All => table.metadata.json(),
            SnapshotsMode::Refs => table.metadata.json_with_referenced_snapshots()?,
        };
        let governed = served.table.map_ref(|table| TableContents {
            metadata_location: (!is_staged).then_some(table.metadata_location.as_str()),
            metadata,
            config: table_config(&served.delegated, parts),
            storage_credentials: storage_credentials(&served.delegated),
        });
        let mut reply = with_cache_headers(Reply::json(&LoadTableResult::new(governed))?)?;
        if served.delegated.has_credential() {
            reply = unstored(reply)?;
        }
        if is_staged {
            return Ok(reply);
        }
        reply.with_header(header::ETAG, &served.etag)
    }

    /// The answer of a load: 304 when the client holds exactly this answer, decided only after the gate let the table
    /// through.
    ///
    /// # Errors
    /// As [`Self::reply`].
    pub(super) fn reply_unless_held(
        self,
        served: &ServedTable,
        parts: &Parts,
    ) -> Result<Reply, OperationError> {
        if IfNoneMatch::parse(&lines(parts, "If-None-Match")).matches(&served.etag) {
            let reply = with_cache_headers(Reply::status(StatusCode::NOT_MODIFIED))?;
            return reply.with_header(header::ETAG, &served.etag);
        }
        self.reply(served, parts, false)
    }
}

/// The headers that keep a governed answer from being used for somebody else.
///
/// # Errors
/// None in practice: the values are constant.
pub(super) fn with_cache_headers(reply: Reply) -> Result<Reply, OperationError> {
    reply
        .with_header(header::CACHE_CONTROL, "private, no-cache")?
        .with_header(header::VARY, VARY)
}

/// The same for an answer with a secret: nobody keeps it on a disk.
///
/// # Errors
/// None in practice: the value is constant.
pub(super) fn unstored(reply: Reply) -> Result<Reply, OperationError> {
    reply.with_header(header::CACHE_CONTROL, "private, no-store")
}

fn lines<'a>(parts: &'a Parts, name: &str) -> Vec<&'a [u8]> {
    let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
        return Vec::new();
    };
    parts
        .headers
        .get_all(name)
        .iter()
        .map(http::HeaderValue::as_bytes)
        .collect()
}
