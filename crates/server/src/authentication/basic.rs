// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `basic`: name and password of the built-in identity provider; its groups come with the subject.

use std::net::IpAddr;

use async_trait::async_trait;
use lakeward_operations::caller::Proof;
use lakeward_operations::{OperationError, Operations};

use super::{Authenticator, Identity, credentials};

/// See the module.
#[derive(Debug)]
pub struct Basic {
    operations: Operations,
}

impl Basic {
    /// Judges by the accounts of the store.
    pub fn new(operations: Operations) -> Self {
        Self { operations }
    }
}

#[async_trait]
impl Authenticator for Basic {
    fn claims(&self, credentials: Option<&str>) -> bool {
        credentials.is_some_and(credentials::is_basic)
    }

    async fn authenticate(
        &self,
        credentials: Option<&str>,
        remote: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        let (user, password) = credentials.and_then(credentials::basic).unwrap_or_default();
        let (subject, right) = self.operations.verify_password(&user, &password, remote).await?;
        Ok(Identity::of_account(subject, Proof::Password(right)))
    }
}
