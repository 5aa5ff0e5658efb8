// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which actions on an object are signed, and with which headers.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::storage_delegation::FileAccess;

use super::refused;

/// What an object is done to.
struct Action {
    method: &'static str,
    /// The parameters that make it this action.
    needs: &'static [&'static str],
    writes: bool,
}

const fn reads(method: &'static str) -> Action {
    Action {
        method,
        needs: &[],
        writes: false,
    }
}

const fn writes(method: &'static str, needs: &'static [&'static str]) -> Action {
    Action {
        method,
        needs,
        writes: true,
    }
}

/// Everything that is signed: reading, writing and deleting one object, and the steps of writing one in parts.
const ACTIONS: &[Action] = &[
    reads("GET"),
    reads("HEAD"),
    writes("PUT", &[]),
    writes("PUT", &["partNumber", "uploadId"]),
    writes("POST", &["uploads"]),
    writes("POST", &["uploadId"]),
    writes("DELETE", &[]),
    writes("DELETE", &["uploadId"]),
];

/// Parameters that change nothing: the name that clients give an action, for logs.
const IGNORED: &str = "x-id";

/// Headers that are signed because they shape the answer or the object.
const SIGNED: &[&str] = &[
    "content-md5",
    "content-type",
    "if-match",
    "if-none-match",
    "range",
];

/// The storage's own headers that do nothing beyond the object itself. Beginnings end in `-`.
const HARMLESS: &[&str] = &[
    "x-amz-bucket-key-enabled",
    "x-amz-checksum-",
    "x-amz-content-sha256",
    "x-amz-decoded-content-length",
    "x-amz-expected-bucket-owner",
    "x-amz-meta-",
    "x-amz-mp-object-size",
    "x-amz-sdk-checksum-algorithm",
    "x-amz-server-side-encryption",
    "x-amz-server-side-encryption-aws-kms-key-id",
    "x-amz-server-side-encryption-bucket-key-enabled",
    "x-amz-storage-class",
    "x-amz-trailer",
    "x-amz-user-agent",
];

/// Headers that the signature itself brings.
const REPLACED: &[&str] = &["authorization", "x-amz-date"];

/// Whether a method and a query are an action that the access permits; says whether it writes or deletes.
///
/// # Errors
/// [`CatalogError::LocationRefused`] where it does not, [`CatalogError::Unsupported`] for what is never signed.
pub(super) fn check_action(method: &str, query: &str, access: FileAccess) -> Result<bool, CatalogError> {
    let mut named: Vec<&str> = query
        .split('&')
        .map(|pair| pair.split_once('=').map_or(pair, |(name, _)| name))
        .filter(|name| !name.is_empty() && *name != IGNORED)
        .collect();
    named.sort_unstable();
    let action = ACTIONS
        .iter()
        .find(|action| action.method == method && action.needs == named.as_slice());
    match action {
        None => Err(CatalogError::Unsupported(
            "such a request is not signed: only single objects are read (GET, HEAD), written (PUT, also in parts) and \
             deleted (DELETE), each without other parameters"
                .to_owned(),
        )),
        Some(action) if action.writes && access == FileAccess::Read => {
            Err(refused("it writes or deletes, and you may only read this table"))
        }
        Some(action) => Ok(action.writes),
    }
}

/// Whether a header is signed. Those of ordinary HTTP are left to the client; of the storage's own the harmless ones are
/// signed, and the others (a source to copy from, access lists, tags) refused.
///
/// # Errors
/// [`CatalogError::LocationRefused`].
pub(super) fn is_signed(name: &str) -> Result<bool, CatalogError> {
    if REPLACED.contains(&name) {
        return Ok(false);
    }
    if SIGNED.contains(&name) {
        return Ok(true);
    }
    if !["x-amz-", "x-goog-", "x-ms-", "x-oss-"]
        .iter()
        .any(|of_storage| name.starts_with(of_storage))
    {
        return Ok(false);
    }
    let is_harmless = HARMLESS.iter().any(|harmless| match harmless.strip_suffix('-') {
        Some(_) => name.starts_with(harmless),
        None => name == *harmless,
    });
    if is_harmless {
        Ok(true)
    } else {
        Err(refused(&format!("it has the header `{name}`")))
    }
}
