// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Readers that the operator trusts, and the authority that signs their certificates.

use crate::change_log::Change;
use crate::error::StoreError;
use crate::identity_provider::missing;
use crate::revision::Area;
use crate::row::{Row, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// A trusted reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderRow {
    /// Its name.
    pub name: String,
    /// The SHA-256 of its certificate, in lower-case hex.
    pub fingerprint: String,
    /// Counts certificates and switches, from 1.
    pub revision: i64,
    /// Whether it is trusted now.
    pub is_enabled: bool,
    /// Who enrolled it.
    pub creator: String,
    /// When its present certificate was enrolled, in epoch milliseconds.
    pub create_time: i64,
}

/// The certificate authority of the server.
#[derive(Clone, PartialEq, Eq)]
pub struct AuthorityRow {
    /// The certificate, as PEM.
    pub certificate_pem: String,
    /// The private key, as PEM; never shown.
    pub key_pem: String,
    /// When it was made, in epoch milliseconds.
    pub created_at: i64,
}

impl std::fmt::Debug for AuthorityRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorityRow")
            .field("created_at", &self.created_at)
            .finish_non_exhaustive()
    }
}

fn reader_row(row: &Row) -> Result<ReaderRow, StoreError> {
    Ok(ReaderRow {
        name: row.text(0)?,
        fingerprint: row.text(1)?,
        revision: row.integer(2)?,
        is_enabled: row.flag(3)?,
        creator: row.text(4)?,
        create_time: row.integer(5)?,
    })
}

impl Snapshot {
    /// A reader by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn reader(&mut self, name: &str) -> Result<Option<ReaderRow>, StoreError> {
        let row = statement!("reader_load")
            .query()
            .bind(name)
            .optional(self.connection())
            .await?;
        row.as_ref().map(reader_row).transpose()
    }

    /// A reader by the fingerprint of its present certificate.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn reader_of_fingerprint(
        &mut self,
        fingerprint: &str,
    ) -> Result<Option<ReaderRow>, StoreError> {
        let row = statement!("reader_of_fingerprint")
            .query()
            .bind(fingerprint)
            .optional(self.connection())
            .await?;
        row.as_ref().map(reader_row).transpose()
    }

    /// All readers by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn readers(&mut self) -> Result<Vec<ReaderRow>, StoreError> {
        statement!("reader_list")
            .query()
            .all(self.connection(), reader_row)
            .await
    }

    /// The authority, when one was made.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn authority(&mut self) -> Result<Option<AuthorityRow>, StoreError> {
        let row = statement!("authority_load")
            .query()
            .optional(self.connection())
            .await?;
        row.map(|row| {
            Ok(AuthorityRow {
                certificate_pem: row.text(0)?,
                key_pem: row.text(1)?,
                created_at: row.integer(2)?,
            })
        })
        .transpose()
    }
}

/// All of these need [`Area::Server`], that is [`crate::Store::write_server`].
impl Write {
    /// Trusts a reader with this certificate; an earlier certificate of the same name is trusted no more. Gives the
    /// revision.
    ///
    /// # Errors
    /// Class `Unique` when another reader has the certificate.
    pub async fn put_reader(&mut self, name: &str, fingerprint: &str) -> Result<i64, StoreError> {
        self.need("reader_put", Area::Server)?;
        let (actor, at) = (self.actor().to_owned(), self.at());
        let revision = statement!("reader_put")
            .query()
            .bind(name)
            .bind(fingerprint)
            .bind(actor)
            .bind(at)
            .one(self.connection())
            .await?
            .integer(0)?;
        self.log(Area::Server, Change::Create, ("READER", 0, name))
            .await?;
        Ok(revision)
    }

    /// Trusts a reader again, or no more.
    ///
    /// # Errors
    /// [`StoreError::Missing`] when there is no such reader.
    pub async fn enable_reader(&mut self, name: &str, is_enabled: bool) -> Result<(), StoreError> {
        self.need("reader_enable", Area::Server)?;
        let touched = statement!("reader_enable")
            .query()
            .bind(name)
            .bind(i64::from(is_enabled))
            .run(self.connection())
            .await?;
        if touched == 0 {
            return Err(missing("reader", name));
        }
        self.log(Area::Server, Change::Alter, ("READER", 0, name)).await
    }

    /// Forgets a reader. Gives whether it existed.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_reader(&mut self, name: &str) -> Result<bool, StoreError> {
        self.need("reader_delete", Area::Server)?;
        let touched = statement!("reader_delete")
            .query()
            .bind(name)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log(Area::Server, Change::Drop, ("READER", 0, name)).await?;
        }
        Ok(touched > 0)
    }

    /// Keeps an authority unless there is one already; all nodes use the one that is kept. Gives that one.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn keep_authority(
        &mut self,
        certificate_pem: &str,
        key_pem: &str,
    ) -> Result<AuthorityRow, StoreError> {
        self.need("authority_insert", Area::Server)?;
        let at = self.at();
        statement!("authority_insert")
            .query()
            .bind(certificate_pem)
            .bind(key_pem)
            .bind(at)
            .run(self.connection())
            .await?;
        self.authority().await?.ok_or_else(|| missing("authority", "1"))
    }
}
