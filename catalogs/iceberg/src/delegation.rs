// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The provider's face for ways to the files. A table's location is checked again each time: what its catalog may reach may
//! have changed since the table was made.

use async_trait::async_trait;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::storage_delegation::{
    DelegationScope, SignedRequest, StorageDelegation, TemporaryCredential, UnsignedRequest,
};
use lakeward_metadata::Properties;

use crate::provider::IcebergProvider;

impl IcebergProvider {
    fn may_delegate(&self, location: &str) -> bool {
        self.policy.check_table(location).is_ok()
    }

    fn check_scope(&self, scope: &DelegationScope) -> Result<(), CatalogError> {
        for location in &scope.locations {
            self.policy.check_table(location)?;
        }
        Ok(())
    }
}

#[async_trait]
impl StorageDelegation for IcebergProvider {
    fn client_properties(&self, location: &str) -> Properties {
        self.delegation.client_properties(location)
    }

    fn vends(&self, location: &str) -> bool {
        self.delegation.vends(location) && self.may_delegate(location)
    }

    fn signs(&self, location: &str) -> bool {
        self.delegation.signs(location) && self.may_delegate(location)
    }

    async fn credential(&self, scope: &DelegationScope) -> Result<TemporaryCredential, CatalogError> {
        self.check_scope(scope)?;
        self.delegation.credential(scope).await
    }

    async fn sign(
        &self,
        scope: &DelegationScope,
        request: &UnsignedRequest,
    ) -> Result<SignedRequest, CatalogError> {
        self.check_scope(scope)?;
        self.delegation.sign(scope, request).await
    }
}
