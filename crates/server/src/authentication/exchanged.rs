// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Tokens that this server gave readers in exchange for those of their users. Whether the reader still may is asked with
//! every request, where all proofs of readers are judged.

use std::net::IpAddr;

use async_trait::async_trait;
use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_operations::caller::Proof;
use lakeward_operations::reader::{Acting, TokenEvidence};
use lakeward_operations::{OperationError, Operations};

use super::{Authenticator, Identity, credentials};
use crate::token_exchange::exchanged_token::{is_one, read};

/// See the module.
#[derive(Debug)]
pub struct Exchanged {
    operations: Operations,
    audience: String,
}

impl Exchanged {
    /// Takes tokens for this audience.
    pub fn new(operations: Operations, audience: String) -> Self {
        Self { operations, audience }
    }
}

#[async_trait]
impl Authenticator for Exchanged {
    fn claims(&self, credentials: Option<&str>) -> bool {
        credentials.and_then(credentials::bearer).is_some_and(is_one)
    }

    async fn authenticate(
        &self,
        credentials: Option<&str>,
        _: Option<IpAddr>,
    ) -> Result<Identity, OperationError> {
        let token = credentials.and_then(credentials::bearer).unwrap_or_default();
        let key = self.operations.exchange_key().await?;
        let claims = read(key, &self.audience, token).ok_or_else(|| {
            OperationError::Unauthenticated("the token was not given in exchange by this server".to_owned())
        })?;
        if self.operations.clock().millis() / 1000 >= i64::try_from(claims.exp).unwrap_or(i64::MAX) {
            return Err(OperationError::TokenExpired(
                "the token has expired; exchange the user's token again".to_owned(),
            ));
        }
        Ok(Identity {
            token: Some(TokenEvidence {
                subject: Some(claims.sub.clone()),
                acting: Acting::Reader {
                    name: claims.act.sub,
                    revision: claims.act.revision,
                },
                ..TokenEvidence::default()
            }),
            subject: Subject {
                user: claims.sub,
                groups: claims.groups.map_or(GroupClaim::Unreadable, |groups| {
                    GroupClaim::Known(groups.into_iter().collect())
                }),
            },
            proof: Proof::Exchanged,
            answer: None,
        })
    }
}
