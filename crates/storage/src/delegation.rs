// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Ways to files of S3 for clients of a catalog: temporary credentials of its token service, each with a policy for one
//! scope, and signatures for single requests.
//!
//! The catalog's own keys are never given out. Where the catalog has a role, requests are signed with the same temporary
//! credentials, so that the storage refuses what the check of a request should ever let through.

mod declared;
mod metadata_names;
mod session_policy;
mod sessions;
mod signing;
mod token_service;

use chrono::Utc;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::storage_delegation::{
    DelegationScope, SignedRequest, TemporaryCredential, UnsignedRequest,
};
use lakeward_metadata::Properties;
use reqsign_aws_v4::Credential;

use crate::location::{Location, Scheme};
use crate::s3_settings::S3Settings;
use declared::Declared;
pub use declared::{
    AZURE_CLIENT_SECRET, CACHE_EXPIRE_RATIO, CACHE_MAX_SIZE, CREDENTIAL_PROVIDERS, DATA_ACCESS, EXTERNAL_ID,
    OSS_ACCESS_KEY_ID, OSS_SECRET_ACCESS_KEY, ROLE_ARN, TOKEN_EXPIRE_IN_SECS, TOKEN_SERVICE_ENDPOINT,
};
use sessions::Sessions;
use signing::Signer;
use token_service::TokenService;

/// What a catalog delegates.
#[derive(Debug)]
pub struct Delegation {
    settings: S3Settings,
    vends: bool,
    sessions: Option<Sessions>,
    signer: Option<Signer>,
}

impl Delegation {
    /// Reads what the properties of a catalog ask for. Nothing is delegated unless they say so.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] for properties that are missing or contradict each other, [`CatalogError::Unsupported`] for
    /// providers of credentials that this server does not have.
    pub fn from_properties(properties: &Properties) -> Result<Self, CatalogError> {
        let settings = S3Settings::from_properties(properties);
        let declared = Declared::read(properties)?;
        let sessions = if declared.has_s3_token {
            let service = TokenService::new(&settings, &declared)?;
            Some(Sessions::new(service, &declared))
        } else {
            None
        };
        let signer = if declared.signs {
            Some(Signer::new(&settings)?)
        } else {
            None
        };
        Ok(Self {
            settings,
            vends: declared.vends,
            sessions,
            signer,
        })
    }

    /// As of [`lakeward_catalog::storage_delegation::StorageDelegation::client_properties`].
    pub fn client_properties(&self, location: &str) -> Properties {
        if is_s3(location) {
            self.settings.client_properties()
        } else {
            Properties::new()
        }
    }

    /// Whether credentials are given out for any location.
    pub fn is_vending(&self) -> bool {
        self.vends
    }

    /// Whether credentials are given out for a location.
    pub fn vends(&self, location: &str) -> bool {
        self.vends && is_s3(location)
    }

    /// Whether requests are signed for a location.
    pub fn signs(&self, location: &str) -> bool {
        self.signer.is_some() && is_s3(location)
    }

    /// As of [`lakeward_catalog::storage_delegation::StorageDelegation::credential`].
    ///
    /// # Errors
    /// The same.
    pub async fn credential(&self, scope: &DelegationScope) -> Result<TemporaryCredential, CatalogError> {
        match &self.sessions {
            Some(sessions) if self.vends => sessions.credential(scope, Utc::now().timestamp_millis()).await,
            Some(_) | None => Err(CatalogError::Unsupported(
                "the catalog gives out no credentials".to_owned(),
            )),
        }
    }

    /// As of [`lakeward_catalog::storage_delegation::StorageDelegation::sign`].
    ///
    /// # Errors
    /// The same.
    pub async fn sign(
        &self,
        scope: &DelegationScope,
        request: &UnsignedRequest,
    ) -> Result<SignedRequest, CatalogError> {
        let Some(signer) = &self.signer else {
            return Err(CatalogError::Unsupported(
                "the catalog signs no requests; its owner can let it (`data-access`)".to_owned(),
            ));
        };
        let checked = signer.check(scope, request)?;
        let credential = match &self.sessions {
            Some(sessions) => {
                let session = sessions.credential(scope, Utc::now().timestamp_millis()).await?;
                Credential {
                    access_key_id: session.access_key_id,
                    secret_access_key: session.secret_access_key,
                    session_token: Some(session.session_token),
                    expires_in: None,
                }
            }
            None => own_keys(&self.settings)?,
        };
        Ok(SignedRequest {
            object: checked.object().to_string(),
            headers: signer.sign(checked, &credential).await?,
        })
    }
}

fn is_s3(location: &str) -> bool {
    Location::parse(location).is_ok_and(|location| location.scheme() == Scheme::S3)
}

/// The catalog's own keys, for signing.
fn own_keys(settings: &S3Settings) -> Result<Credential, CatalogError> {
    let (id, secret) = settings.keys.clone().ok_or_else(|| {
        CatalogError::Invalid(
            "credentials and signatures for clients need `s3-access-key-id` and `s3-secret-access-key`"
                .to_owned(),
        )
    })?;
    Ok(Credential {
        access_key_id: id,
        secret_access_key: secret,
        session_token: None,
        expires_in: None,
    })
}

/// A failure whose cause may hold what nobody should read in a log.
fn unexpected(what: &str) -> CatalogError {
    CatalogError::Unavailable(what.to_owned())
}
