// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Trusted readers: entries that the operator enrols, each bound to one client certificate. Making certificates is
//! the server's part; here are the entries and the authority that all nodes share.

use lakeward_authorization::Authorized;
use lakeward_read_restrictions::admission::{Trust, TrustedReader};
use lakeward_store::{AuthorityRow, ReaderRow};

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

impl Operations {
    /// Whom a client certificate proves: the enabled reader whose present certificate has this fingerprint.
    ///
    /// # Errors
    /// What the store reports; a certificate that is not known, replaced, revoked or disabled is `Untrusted`.
    pub async fn trust_of_certificate(&self, fingerprint: &str) -> Result<Trust, OperationError> {
        let reader = self.reader_of(fingerprint).await?;
        Ok(match reader {
            Some(reader) if reader.is_enabled => Trust::Trusted(TrustedReader {
                name: reader.name,
                revision: reader.revision,
            }),
            Some(_) | None => Trust::Untrusted,
        })
    }

    async fn reader_of(&self, fingerprint: &str) -> Result<Option<ReaderRow>, OperationError> {
        let key = (fingerprint.to_owned(), self.store().server_revision().await?);
        if let Some(reader) = self.caches().readers.get(&key) {
            return Ok(reader);
        }
        let mut snapshot = self.store().snapshot().await?;
        let reader = snapshot.reader_of_fingerprint(fingerprint).await?;
        // The counter of the state that was read, not of a moment before.
        let revision = snapshot.server_revision().await?;
        self.caches()
            .readers
            .insert((fingerprint.to_owned(), revision), reader.clone());
        Ok(reader)
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

    /// Trusts a reader with this certificate. An earlier certificate of the same name is trusted no more.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] for the name; or what the store reports.
    pub async fn enroll_reader(
        &self,
        call: &Call,
        reader: Authorized<ReaderName>,
        fingerprint: &str,
    ) -> Result<ReaderRow, OperationError> {
        reader.check()?;
        let name = &reader.get().0;
        let mut write = self.store().write_server(call.user()).await?;
        write.put_reader(name, fingerprint).await?;
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
        let mut write = self.store().write_server(call.user()).await?;
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
        let mut write = self.store().write_server(call.user()).await?;
        let removed = write.remove_reader(&reader.get().0).await?;
        write.commit().await?;
        Ok(removed)
    }
}
