// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Credentials of an object.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// One credential.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialDto {
    /// Its type, for instance `s3-token`.
    pub credential_type: String,
    /// When it ends, in epoch milliseconds; 0 for never.
    pub expire_time_in_ms: i64,
    /// What it consists of.
    pub credential_info: BTreeMap<String, String>,
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for CredentialDto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CredentialDto")
            .field("credential_type", &self.credential_type)
            .field("expire_time_in_ms", &self.expire_time_in_ms)
            .finish_non_exhaustive()
    }
}

/// Answer of `GET …/credentials`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialListResponse {
    /// Always 0.
    pub code: i32,
    /// The credentials.
    pub credentials: Vec<CredentialDto>,
}

#[cfg(test)]
mod tests {
    use super::{CredentialDto, CredentialListResponse};

    #[test]
    fn a_credential_does_not_print_itself() {
        let credential = CredentialDto {
            credential_type: "s3-token".to_owned(),
            expire_time_in_ms: 1,
            credential_info: [("s3-secret-access-key".to_owned(), "correct-horse".to_owned())].into(),
        };
        let answer = CredentialListResponse {
            code: 0,
            credentials: vec![credential],
        };
        let shown = format!("{answer:?}");
        assert!(
            !shown.contains("correct-horse") && shown.contains("s3-token"),
            "{shown}"
        );
    }
}
