// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Trusted readers: entries that the operator enrols, each bound to one client certificate, one OAuth client or one actor
//! of delegated tokens. Making certificates and reading tokens is the server's part; here are the entries, what makes a
//! request trusted, and the authority that all nodes share.

use std::collections::HashMap;
use std::sync::Arc;

use lakeward_authorization::Authorized;
use lakeward_read_restrictions::admission::{Distrust, Trust, TrustedReader};
use lakeward_store::{AuthorityRow, ReaderChannel, ReaderRow};

use crate::Operations;
use crate::caller::Call;
use crate::error::{Noun, OperationError};
use crate::named::{Named, Names, TheServer};

/// A reader by name. Concerns the server, no metalake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderName(pub String);

impl Names for ReaderName {
    fn named(&self) -> Named {
        Named::server()
    }
}

/// The longest name of a reader; it becomes the subject of a certificate.
const MAX_NAME_CHARS: usize = 64;

impl ReaderName {
    /// Checks the name of a new reader.
    ///
    /// # Errors
    /// [`OperationError::Invalid`].
    pub fn check(&self) -> Result<(), OperationError> {
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let length = self.0.chars().count();
        if (1..=MAX_NAME_CHARS).contains(&length) && self.0.chars().all(legal) {
            return Ok(());
        }
        Err(OperationError::invalid(format!(
            "`{}` is not a name of a reader: 1 to {MAX_NAME_CHARS} letters, digits, `-`, `_` and `.` are allowed",
            self.0
        )))
    }
}

/// The longest id of an OAuth client or subject of an actor.
const MAX_PROOF_CHARS: usize = 256;

/// By what a new reader will be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderProof {
    /// What proves it.
    pub channel: ReaderChannel,
    /// The fingerprint, client id or subject that it proves.
    pub value: String,
}

impl std::fmt::Display for ReaderProof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.channel.as_str(), self.value)
    }
}

impl ReaderProof {
    /// Checks it.
    ///
    /// # Errors
    /// [`OperationError::Invalid`].
    pub fn check(&self) -> Result<(), OperationError> {
        let length = self.value.chars().count();
        let is_clean = !self.value.chars().any(char::is_control) && self.value.trim() == self.value;
        if (1..=MAX_PROOF_CHARS).contains(&length) && is_clean {
            return Ok(());
        }
        Err(OperationError::invalid(format!(
            "the {} of a reader must have 1 to {MAX_PROOF_CHARS} characters, no control characters, and no blanks around it",
            self.channel.as_str()
        )))
    }
}

/// What a request proves about the reader that it comes through. Every part was verified: the certificate by TLS, the
/// claims by the signature of the token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReaderEvidence {
    /// The fingerprint of the client certificate of the connection.
    pub certificate: Option<String>,
    /// What the token says, when there is one.
    pub token: Option<TokenEvidence>,
}

/// What a valid token says of those who may present it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenEvidence {
    /// Whom it is about; `None` where it has no `sub`, and then nothing tells an end user from whoever had it issued.
    pub subject: Option<String>,
    /// The OAuth client that obtained it.
    pub client: Option<String>,
    /// Who acts for the subject now.
    pub acting: Acting,
    /// Whether the token was issued to the client for itself.
    pub is_of_client_itself: bool,
    /// Who alone may be made to act for the subject (`may_act` of RFC 8693), where the token says so; empty for nobody.
    pub may_act: Option<String>,
}

/// Who acts for the subject of a token now: the outermost `act` of RFC 8693.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Acting {
    /// The subject itself.
    #[default]
    Nobody,
    /// An actor that the issuer of the token names.
    By(String),
    /// An actor of another issuer, whose names may be those of others here.
    BySomebodyElse,
    /// A reader by this enrolment, to which this server gave the token in exchange for one of the subject's.
    Reader {
        /// Its name.
        name: String,
        /// The revision of its entry.
        revision: i64,
    },
}

impl Acting {
    fn actor(&self) -> Option<&String> {
        match self {
            Self::By(actor) => Some(actor),
            Self::Nobody | Self::BySomebodyElse | Self::Reader { .. } => None,
        }
    }
}

/// The readers of one state of the store, by what proves them.
#[derive(Debug)]
pub(crate) struct EnrolledReaders(HashMap<(ReaderChannel, String), ReaderRow>);

impl EnrolledReaders {
    pub(crate) fn of(&self, channel: ReaderChannel, proof: Option<&String>) -> Option<&ReaderRow> {
        self.0.get(&(channel, proof?.clone()))
    }

    /// The reader by one enrolment.
    pub(crate) fn enrolled(&self, name: &str, revision: i64) -> Option<&ReaderRow> {
        let mut rows = self.0.values();
        rows.find(|row| row.name == name && row.revision == revision)
    }

    /// What the evidence amounts to. Doubt is distrust: an entry that was disabled still contradicts another.
    fn trust(&self, evidence: &ReaderEvidence) -> Trust {
        let by_certificate = self.of(ReaderChannel::Certificate, evidence.certificate.as_ref());
        let token = evidence.token.as_ref();
        let by_client = self.of(
            ReaderChannel::OauthClient,
            token.and_then(|token| token.client.as_ref()),
        );
        let by_actor = self.of(ReaderChannel::Actor, token.and_then(|token| token.acting.actor()));
        let by_exchange = token.and_then(|token| match &token.acting {
            Acting::Reader { name, revision } => self.enrolled(name, *revision),
            Acting::Nobody | Acting::By(_) | Acting::BySomebodyElse => None,
        });
        let mut named: Vec<&ReaderRow> = [by_certificate, by_client, by_actor, by_exchange]
            .into_iter()
            .flatten()
            .collect();
        // A certificate beside a token that was given to the same reader contradicts nothing.
        named.dedup_by(|one, other| by_exchange.is_some() && one.name == other.name);
        if named.len() > 1 {
            return Trust::Refused(Distrust::TwoReaders);
        }
        if let Some(token) = token {
            let subject = token.subject.as_ref();
            let is_actor_itself = self.of(ReaderChannel::Actor, subject).is_some();
            let is_client_itself = self.of(ReaderChannel::OauthClient, subject).is_some();
            let names_user = subject.is_some()
                && !token.is_of_client_itself
                && token.acting.actor() != subject
                && !is_client_itself;
            // The token of an actor that nobody delegated to is its own as well.
            if (!named.is_empty() && !names_user) || is_actor_itself {
                return Trust::Refused(Distrust::WithoutUser);
            }
        }
        // Who acts for the user is the actor; the client that had the token made is not the one that reads.
        let acts_for_somebody =
            by_exchange.is_none() && token.is_some_and(|token| token.acting != Acting::Nobody);
        let trusted = named
            .first()
            .filter(|reader| reader.is_enabled)
            .filter(|reader| !(acts_for_somebody && reader.channel == ReaderChannel::OauthClient));
        trusted.map_or(Trust::Untrusted, |reader| {
            Trust::Trusted(TrustedReader {
                name: reader.name.clone(),
                revision: reader.revision,
            })
        })
    }
}

impl Operations {
    /// Whether a request comes through a reader that the operator enrolled, as of now.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`] for a certificate that is not known, replaced, revoked or disabled: nobody else may
    /// use the readers' listener. [`OperationError::Unauthenticated`] for a token that was given in exchange to a reader
    /// that is enrolled no more. What the store reports.
    pub async fn trust(&self, evidence: &ReaderEvidence) -> Result<Trust, OperationError> {
        if *evidence == ReaderEvidence::default() {
            return Ok(Trust::Untrusted);
        }
        let readers = self.enrolled_readers().await?;
        let certificate = evidence.certificate.as_ref();
        if certificate.is_some()
            && !readers
                .of(ReaderChannel::Certificate, certificate)
                .is_some_and(|reader| reader.is_enabled)
        {
            return Err(OperationError::Forbidden(
                "the client certificate is not that of an enrolled and enabled reader; ask the operator for a new one"
                    .to_owned(),
            ));
        }
        readers.require_exchanger(evidence)?;
        Ok(readers.trust(evidence))
    }

    pub(crate) async fn enrolled_readers(&self) -> Result<Arc<EnrolledReaders>, OperationError> {
        if let Some(readers) = self.caches().readers.get(&self.store().server_revision().await?) {
            return Ok(readers);
        }
        let mut snapshot = self.store().snapshot().await?;
        let rows = snapshot.readers().await?;
        // The counter of the state that was read, not of a moment before.
        let revision = snapshot.server_revision().await?;
        let by_proof = rows
            .into_iter()
            .map(|row| ((row.channel, row.proof.clone()), row))
            .collect();
        let readers = Arc::new(EnrolledReaders(by_proof));
        self.caches().readers.insert(revision, Arc::clone(&readers));
        Ok(readers)
    }

    /// The authority that signs readers' certificates. The first node that needs one keeps what `make` gives.
    ///
    /// # Errors
    /// What the store reports, or `make`.
    pub async fn authority(
        &self,
        make: impl FnOnce() -> Result<(String, String), OperationError> + Send,
    ) -> Result<AuthorityRow, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        if let Some(kept) = snapshot.authority().await? {
            return Ok(kept);
        }
        drop(snapshot);
        let (certificate_pem, key_pem) = make()?;
        let mut write = self.store().write_server("system").await?;
        let kept = write.keep_authority(&certificate_pem, &key_pem).await?;
        write.commit().await?;
        Ok(kept)
    }

    /// Trusts a reader by this proof, and says whether it may have tokens of its users exchanged. What an earlier enrolment of the same name proved is trusted no more.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for the name or the proof; [`OperationError::AlreadyExists`] when another reader has the
    /// proof; or what the store reports.
    pub async fn enroll_reader(
        &self,
        call: &Call,
        reader: Authorized<ReaderName>,
        proof: &ReaderProof,
        may_exchange: bool,
    ) -> Result<ReaderRow, OperationError> {
        reader.check()?;
        proof.check()?;
        let name = &reader.get().0;
        let mut write = self.write_server(call).await?;
        let put = write
            .put_reader(name, proof.channel, &proof.value, may_exchange)
            .await;
        put.map_err(|error| {
            if error.is_unique() {
                OperationError::already_exists(Noun::Reader, proof.to_string())
            } else {
                error.into()
            }
        })?;
        let row = write.reader(name).await?;
        write.commit().await?;
        row.ok_or_else(|| OperationError::internal("the enrolled reader is not there"))
    }

    /// All readers.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn list_readers(
        &self,
        _server: Authorized<TheServer>,
    ) -> Result<Vec<ReaderRow>, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        Ok(snapshot.readers().await?)
    }

    /// Trusts a reader again, or no more.
    ///
    /// # Errors
    /// [`OperationError::NotFound`].
    pub async fn enable_reader(
        &self,
        call: &Call,
        reader: Authorized<ReaderName>,
        enabled: bool,
    ) -> Result<(), OperationError> {
        let name = &reader.get().0;
        let mut write = self.write_server(call).await?;
        write.enable_reader(name, enabled).await.map_err(|error| {
            if error.is_missing() {
                OperationError::not_found(Noun::Reader, name)
            } else {
                error.into()
            }
        })?;
        Ok(write.commit().await?)
    }

    /// Forgets a reader; gives whether there was one.
    ///
    /// # Errors
    /// What the store reports.
    pub async fn remove_reader(
        &self,
        call: &Call,
        reader: Authorized<ReaderName>,
    ) -> Result<bool, OperationError> {
        let mut write = self.write_server(call).await?;
        let removed = write.remove_reader(&reader.get().0).await?;
        write.commit().await?;
        Ok(removed)
    }
}

#[cfg(test)]
mod tests;
