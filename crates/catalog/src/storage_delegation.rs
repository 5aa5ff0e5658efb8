// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The face of a provider whose clients may be given a way to the files themselves: a temporary credential, or a
//! signature for one request.
//!
//! The host decides who may have it and that the place is one owner's; the provider sees to it that what it gives reaches
//! that place and nothing else.

use std::fmt;

use async_trait::async_trait;
use lakeward_metadata::Properties;

use crate::error::CatalogError;

/// What a client may do with the files of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileAccess {
    /// Read and list them.
    Read,
    /// Also write and delete them.
    ReadWrite,
}

/// For whom something is delegated, where and for what.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DelegationScope {
    /// The end user, for whom nothing is shared with anybody else.
    pub principal: String,
    /// The canonical locations of the table or fileset, in order: everything below them and nothing beside them.
    pub locations: Vec<String>,
    /// What is permitted there.
    pub access: FileAccess,
    /// Whether it is a table, whose metadata files the catalog alone writes and deletes.
    pub is_table: bool,
}

/// A credential that ends by itself and reaches one scope.
#[derive(Clone, PartialEq, Eq)]
pub struct TemporaryCredential {
    /// The id of its access key.
    pub access_key_id: String,
    /// Its secret key.
    pub secret_access_key: String,
    /// The token without which its keys mean nothing.
    pub session_token: String,
    /// When it ends, in epoch milliseconds.
    pub expires_at: i64,
}

// A secret must not reach a log by way of a derived implementation.
impl fmt::Debug for TemporaryCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TemporaryCredential")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// A request to the storage that a client wants signed (`RemoteSignRequest` of the Iceberg protocol).
#[derive(Clone, PartialEq, Eq)]
pub struct UnsignedRequest {
    /// The method, in upper case.
    pub method: String,
    /// The URI as it will be sent, percent-encoded.
    pub uri: String,
    /// The region that the client signs for.
    pub region: String,
    /// Names and values of its headers.
    pub headers: Vec<(String, String)>,
}

// Its query and headers may hold a signature or a session token of the client's.
impl fmt::Debug for UnsignedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsignedRequest")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// A request that was signed.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedRequest {
    /// The canonical location of the object that it reaches, without query or secret.
    pub object: String,
    /// Names and values of the headers to send it with in addition.
    pub headers: Vec<(String, String)>,
}

// A signature must not reach a log by way of a derived implementation.
impl fmt::Debug for SignedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedRequest")
            .field("object", &self.object)
            .finish_non_exhaustive()
    }
}

/// Ways to the files of a catalog.
#[async_trait]
pub trait StorageDelegation: Send + Sync {
    /// How clients reach the storage, in the words of Iceberg's client properties and without any secret; empty for a
    /// location in a storage that has none to say.
    fn client_properties(&self, location: &str) -> Properties;

    /// Whether credentials are given out for a location.
    fn vends(&self, location: &str) -> bool;

    /// Whether requests are signed for a location.
    fn signs(&self, location: &str) -> bool;

    /// A credential for exactly the scope; it is good for a while yet. Only where [`StorageDelegation::vends`].
    ///
    /// # Errors
    /// [`CatalogError::Unsupported`] where none are given out, [`CatalogError::Invalid`] for a scope that no policy
    /// expresses, [`CatalogError::Unavailable`] when the token service refuses or does not answer.
    async fn credential(&self, scope: &DelegationScope) -> Result<TemporaryCredential, CatalogError>;

    /// A request with what makes the storage take it as signed. Only where [`StorageDelegation::signs`].
    ///
    /// # Errors
    /// [`CatalogError::LocationRefused`] for a request that reaches beyond the scope or does more than it permits,
    /// [`CatalogError::Invalid`] for one that cannot be understood, [`CatalogError::Unsupported`] for one that is never
    /// signed; those of [`StorageDelegation::credential`].
    async fn sign(
        &self,
        scope: &DelegationScope,
        request: &UnsignedRequest,
    ) -> Result<SignedRequest, CatalogError>;
}

#[cfg(test)]
mod tests {
    use super::{SignedRequest, TemporaryCredential, UnsignedRequest};

    #[test]
    fn nothing_of_a_credential_or_signature_prints_itself() {
        let secret = || "correct-horse".to_owned();
        let credential = TemporaryCredential {
            access_key_id: secret(),
            secret_access_key: secret(),
            session_token: secret(),
            expires_at: 1,
        };
        let signed = SignedRequest {
            object: "s3://b/t/f".to_owned(),
            headers: vec![("authorization".to_owned(), secret())],
        };
        let unsigned = UnsignedRequest {
            method: "GET".to_owned(),
            uri: format!("https://b/t?X-Amz-Security-Token={}", secret()),
            region: "r".to_owned(),
            headers: signed.headers.clone(),
        };
        let shown = format!("{credential:?} {signed:?} {unsigned:?}");
        assert!(
            !shown.contains(&secret()) && shown.contains("s3://b/t/f"),
            "{shown}"
        );
    }
}
