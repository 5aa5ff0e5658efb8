// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The access tokens of local accounts. What is kept recognizes a token and cannot make one.

use crate::change_log::Change;
use crate::error::StoreError;
use crate::revision::Area;
use crate::row::{Row, json_text, statement};
use crate::snapshot::Snapshot;
use crate::write::Write;

/// An access token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// What its owner calls it; unique among the owner's.
    pub name: String,
    /// The local account that it speaks for.
    pub user: String,
    /// The first letters of the token, by which people recognize it.
    pub prefix: String,
    /// The only metalakes that it is for; `None` where it is for all, and for the server.
    pub metalakes: Option<Vec<String>>,
    /// The only roles that it uses; `None` where it uses all that the user has.
    pub roles: Option<Vec<String>>,
    /// Whether it is for reading only.
    pub is_read_only: bool,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
    /// From when on it is refused, in milliseconds since 1970.
    pub expires_at: i64,
}

fn access_token(row: &Row) -> Result<AccessToken, StoreError> {
    Ok(AccessToken {
        name: row.text(0)?,
        user: row.text(1)?,
        prefix: row.text(2)?,
        metalakes: row.json(3)?,
        roles: row.json(4)?,
        is_read_only: row.flag(5)?,
        created_at: row.integer(6)?,
        expires_at: row.integer(7)?,
    })
}

impl Snapshot {
    /// The token with this hash.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn access_token(&mut self, hash: &str) -> Result<Option<AccessToken>, StoreError> {
        let row = statement!("access_token_load")
            .query()
            .bind(hash)
            .optional(self.connection())
            .await?;
        row.as_ref().map(access_token).transpose()
    }

    /// The tokens of an account, by name.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn access_tokens(&mut self, user: &str) -> Result<Vec<AccessToken>, StoreError> {
        statement!("access_token_list")
            .query()
            .bind(user)
            .all(self.connection(), access_token)
            .await
    }
}

/// Both need [`Area::Server`], that is [`crate::Store::write_server`].
impl Write {
    /// Keeps a token under the hash of its secret.
    ///
    /// # Errors
    /// Class `Unique` when the account has a token of the name; class `ForeignKey` when there is no such account.
    pub async fn create_access_token(&mut self, token: &AccessToken, hash: &str) -> Result<(), StoreError> {
        self.need("access_token_insert", Area::Server)?;
        statement!("access_token_insert")
            .query()
            .bind(hash)
            .bind(token.name.as_str())
            .bind(token.user.as_str())
            .bind(token.prefix.as_str())
            .bind(json_text(&token.metalakes)?)
            .bind(json_text(&token.roles)?)
            .bind(i64::from(token.is_read_only))
            .bind(token.created_at)
            .bind(token.expires_at)
            .run(self.connection())
            .await?;
        self.log(Area::Server, Change::Create, ("ACCESS_TOKEN", 0, &token.name))
            .await
    }

    /// Forgets the tokens of an account that have expired at a time in milliseconds, so that they neither count nor keep
    /// their names.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_expired_access_tokens(&mut self, user: &str, now: i64) -> Result<(), StoreError> {
        self.need("access_token_delete_expired", Area::Server)?;
        statement!("access_token_delete_expired")
            .query()
            .bind(user)
            .bind(now)
            .run(self.connection())
            .await?;
        Ok(())
    }

    /// Ends a token. Gives whether there was one.
    ///
    /// # Errors
    /// What the database reports.
    pub async fn remove_access_token(&mut self, user: &str, name: &str) -> Result<bool, StoreError> {
        self.need("access_token_delete", Area::Server)?;
        let touched = statement!("access_token_delete")
            .query()
            .bind(user)
            .bind(name)
            .run(self.connection())
            .await?;
        if touched > 0 {
            self.log(Area::Server, Change::Drop, ("ACCESS_TOKEN", 0, name))
                .await?;
        }
        Ok(touched > 0)
    }
}
