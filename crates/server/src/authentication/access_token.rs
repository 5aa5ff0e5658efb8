// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Access tokens of local accounts, where there are such accounts. Nothing else that is sent begins like one.

use std::net::IpAddr;

use async_trait::async_trait;
use lakeward_operations::access_token::BEGINNING;
use lakeward_operations::caller::Proof;
use lakeward_operations::{OperationError, Operations};

use super::{Authenticator, Identity, credentials};

/// See the module.
#[derive(Debug)]
pub struct AccessTokens {
    operations: Operations,
}

impl AccessTokens {
    /// Judges by the tokens of the store.
    pub fn new(operations: Operations) -> Self {
        Self { operations }
    }
}

#[async_trait]
impl Authenticator for AccessTokens {
    fn claims(&self, credentials: Option<&str>) -> bool {
        credentials
            .and_then(credentials::bearer)
            .is_some_and(|token| token.starts_with(BEGINNING))
    }

    async fn authenticate(
        &self,
        credentials: Option<&str>,
        _: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        let token = credentials.and_then(credentials::bearer).unwrap_or_default();
        let (subject, token) = self.operations.verify_access_token(token).await?;
        Ok(Identity::of_account(subject, Proof::AccessToken(token)))
    }
}
