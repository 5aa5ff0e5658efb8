// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `simple`: the name is taken at its word, and nobody is [`ANONYMOUS`]. For trusted networks and first steps.

use std::net::IpAddr;

use async_trait::async_trait;
use lakeward_metadata::principal::{ANONYMOUS, GroupClaim, Subject};
use lakeward_operations::OperationError;

use super::{Authenticator, Identity, credentials};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Simple;

#[async_trait]
impl Authenticator for Simple {
    fn claims(&self, credentials: Option<&str>) -> bool {
        credentials.is_none_or(credentials::is_basic)
    }

    async fn authenticate(
        &self,
        credentials: Option<&str>,
        _: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        let user = credentials
            .and_then(credentials::basic)
            .map(|(user, _)| user)
            .filter(|user| !user.trim().is_empty())
            .unwrap_or_else(|| ANONYMOUS.to_owned());
        Ok(Identity::of(Subject {
            user,
            groups: GroupClaim::Unknown,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(credentials: Option<&str>, expected: Option<&str>) {
        let found = if Simple.claims(credentials) {
            Simple
                .authenticate(credentials, None)
                .await
                .ok()
                .map(|identity| identity.subject.user)
        } else {
            None
        };
        assert_eq!(found.as_deref(), expected, "{credentials:?}");
    }

    #[tokio::test]
    async fn names_are_taken_at_their_word() {
        check(None, Some(ANONYMOUS)).await;
        check(Some("Basic YWxpY2U6eA=="), Some("alice")).await;
        check(Some("Basic Ong="), Some(ANONYMOUS)).await;
        check(Some("Basic !"), Some(ANONYMOUS)).await;
        check(Some("Bearer abc"), None).await;
        check(Some("Negotiate abc"), None).await;
    }
}
