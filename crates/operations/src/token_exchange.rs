// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who gets tokens of this server for its users (token exchange, RFC 8693): readers that the operator lets have them, for
//! end users who prove themselves, and for nobody who acts for others already.

use std::sync::Arc;

use lakeward_read_restrictions::admission::{Trust, TrustedReader};
use lakeward_store::{ReaderChannel, ReaderRow};

use crate::Operations;
use crate::error::OperationError;
use crate::reader::{Acting, EnrolledReaders, ReaderEvidence, TokenEvidence};

/// The setting that holds the key of [`Operations::exchange_key`].
const KEY_SETTING: &str = "token-exchange-key";

/// A reader that may have tokens of its users exchanged.
#[derive(Debug, Clone)]
pub struct Exchanger {
    readers: Arc<EnrolledReaders>,
    row: ReaderRow,
}

impl Exchanger {
    /// The reader, by its present enrolment.
    pub fn reader(&self) -> TrustedReader {
        TrustedReader {
            name: self.row.name.clone(),
            revision: self.row.revision,
        }
    }

    /// Refuses tokens in whose name nobody may act, or not this reader.
    ///
    /// # Errors
    /// [`OperationError::Invalid`]: RFC 8693, section 2.2.2.
    pub fn require_delegation(&self, subject: &TokenEvidence) -> Result<(), OperationError> {
        if subject.acting != Acting::Nobody {
            return Err(OperationError::invalid(
                "`subject_token` was given to somebody who acts for its user; only the user's own token is exchanged",
            ));
        }
        let is_reader = [ReaderChannel::Actor, ReaderChannel::OauthClient]
            .into_iter()
            .any(|channel| self.readers.of(channel, subject.subject.as_ref()).is_some());
        if subject.subject.is_none() || subject.is_of_client_itself || is_reader {
            return Err(OperationError::invalid(
                "`subject_token` names no end user: it is the token of a reader or a client itself",
            ));
        }
        let known_as = match self.row.channel {
            ReaderChannel::Certificate => &self.row.name,
            ReaderChannel::OauthClient | ReaderChannel::Actor => &self.row.proof,
        };
        match &subject.may_act {
            Some(only) if only != known_as => Err(OperationError::invalid(
                "`subject_token` says in `may_act` who may act for its user, and that is not this reader",
            )),
            Some(_) | None => Ok(()),
        }
    }
}

impl Operations {
    /// The reader that asks for an exchange: by the certificate of its connection (`trust`), or by a token that it has for
    /// itself.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] for who is no enrolled reader, or proves to be two;
    /// [`OperationError::Forbidden`] for a reader that may not have tokens exchanged; what the store reports.
    pub async fn exchanger(
        &self,
        trust: &Trust,
        actor: Option<&TokenEvidence>,
    ) -> Result<Exchanger, OperationError> {
        let readers = self.enrolled_readers().await?;
        let by_certificate = match trust {
            Trust::Trusted(reader) => Some(readers.enrolled(&reader.name, reader.revision)),
            Trust::Untrusted | Trust::Refused(_) => None,
        };
        let by_token = actor.map(|actor| readers.itself(actor));
        let row = match (by_certificate, by_token) {
            (Some(row), None) | (None, Some(row)) => row.filter(|row| row.is_enabled),
            (None, None) | (Some(_), Some(_)) => None,
        };
        let row = row.cloned().ok_or_else(|| {
            OperationError::Unauthenticated(
                "only an enrolled reader has tokens exchanged: it shows its certificate, or in `actor_token` a token that \
                 its OAuth client or actor got for itself, and not both"
                    .to_owned(),
            )
        })?;
        if !row.may_exchange {
            return Err(OperationError::Forbidden(format!(
                "the reader `{}` was enrolled without the right to have tokens exchanged",
                row.name
            )));
        }
        Ok(Exchanger { readers, row })
    }

    /// The key by which all nodes know the tokens that one of them gave in exchange. Made when it is first needed.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn exchange_key(&self) -> Result<&str, OperationError> {
        self.shared_key(&self.caches().exchange_key, KEY_SETTING).await
    }
}

impl EnrolledReaders {
    /// Refuses a token that was given in exchange when its reader is not what it was then, or comes over another channel.
    pub(crate) fn require_exchanger(&self, evidence: &ReaderEvidence) -> Result<(), OperationError> {
        let token = evidence.token.as_ref();
        let Some(Acting::Reader { name, revision }) = token.map(|token| &token.acting) else {
            return Ok(());
        };
        let reader = self
            .enrolled(name, *revision)
            .filter(|reader| reader.is_enabled && reader.may_exchange)
            .ok_or_else(|| {
                OperationError::Unauthenticated(
                    "the reader that this token was given to was removed or enrolled anew; exchange the user's token again"
                        .to_owned(),
                )
            })?;
        if reader.channel == ReaderChannel::Certificate
            && evidence.certificate.as_ref() != Some(&reader.proof)
        {
            return Err(OperationError::Unauthenticated(
                "this token is good only beside the certificate of the reader that it was given to"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// The reader to which a token was issued for itself. A token that fits two entries is that of neither.
    fn itself(&self, token: &TokenEvidence) -> Option<&ReaderRow> {
        if token.acting != Acting::Nobody {
            return None;
        }
        let client = token.client.as_ref().filter(|_| token.is_of_client_itself);
        let by_client = self.of(ReaderChannel::OauthClient, client);
        let by_subject = self.of(ReaderChannel::Actor, token.subject.as_ref());
        match (by_client, by_subject) {
            (Some(row), None) | (None, Some(row)) => Some(row),
            (None, None) | (Some(_), Some(_)) => None,
        }
    }
}
