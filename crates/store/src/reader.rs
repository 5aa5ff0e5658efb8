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

/// By what a reader is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReaderChannel {
    /// The client certificate of its connection.
    Certificate,
    /// The OAuth client that obtained the end user's token.
    OauthClient,
    /// The actor of the end user's token (`act` of RFC 8693).
    Actor,
}

impl ReaderChannel {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Certificate, Self::OauthClient, Self::Actor];

    /// The name, as it is stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Certificate => "certificate",
            Self::OauthClient => "oauth-client",
            Self::Actor => "actor",
        }
    }

    /// The channel of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == name)
    }
}

/// A trusted reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderRow {
    /// Its name.
    pub name: String,
    /// By what it is known.
    pub channel: ReaderChannel,
    /// What the channel must prove: the SHA-256 of its certificate in lower-case hex, the id of its OAuth client, or the
    /// subject of the actor.
    pub proof: String,
    /// Rises with every enrolment and switch, and never comes again: not even for a reader that takes the name of one that
    /// was removed.
    pub revision: i64,
    /// Whether it is trusted now.
    pub is_enabled: bool,
    /// Who enrolled it.
    pub creator: String,
    /// When it was enrolled with its present proof, in epoch milliseconds.
    pub create_time: i64,
    /// When it last loaded restricted metadata, in epoch milliseconds, give or take a minute; `None` if never.
    pub last_load_at: Option<i64>,
    /// Whether it may have tokens of its users exchanged for tokens of this server.
    pub may_exchange: bool,
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
    let channel = row.text(1)?;
    Ok(ReaderRow {
        name: row.text(0)?,
        channel: ReaderChannel::from_name(&channel)
            .ok_or_else(|| row.corrupt(format!("`{channel}` is no channel of a reader")))?,
        proof: row.text(2)?,
        revision: row.integer(3)?,
        is_enabled: row.flag(4)?,
        creator: row.text(5)?,
        create_time: row.integer(6)?,
        last_load_at: row.optional_integer(7)?,
        may_exchange: row.flag(8)?,
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

    /// The reader that a proof over a channel names, by its present enrolment.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn reader_of_proof(
        &mut self,
        channel: ReaderChannel,
        proof: &str,
    ) -> Result<Option<ReaderRow>, StoreError> {
        let row = statement!("reader_of_proof")
            .query()
            .bind(channel.as_str())
            .bind(proof)
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

/// All of these need [`Area::Server`], that is [`crate::Store::write_server`], where nothing else is said.
impl Write {
    /// Trusts a reader by this proof; an earlier one of the same name is trusted no more. Gives the revision. One change
    /// of one reader per write: its revision is the counter of the write.
    ///
    /// # Errors
    /// Class `Unique` when another reader has the proof.
    pub async fn put_reader(
        &mut self,
        name: &str,
        channel: ReaderChannel,
        proof: &str,
        may_exchange: bool,
    ) -> Result<i64, StoreError> {
        // The counter never gives a number twice, so no reader ever has the revision of another of the same name.
        let counted = self.need("reader_put", Area::Server)?;
        let (actor, at) = (self.actor().to_owned(), self.at());
        let revision = statement!("reader_put")
            .query()
            .bind(name)
            .bind(channel.as_str())
            .bind(proof)
            .bind(counted)
            .bind(actor)
            .bind(at)
            .bind(i64::from(may_exchange))
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

    /// Remembers when a reader last loaded restricted metadata; an older time changes nothing. Counts no area, since no
    /// answer depends on it.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn note_load(&mut self, name: &str, at: i64) -> Result<(), StoreError> {
        statement!("reader_loaded")
            .query()
            .bind(name)
            .bind(at)
            .run(self.connection())
            .await
            .map(drop)
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
