// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Access tokens that people make for their programs: shown once, kept as a hash, with an end, and narrower than the account
//! where their owner says so. A token never manages accounts, passwords or tokens.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::rand_core::{OsRng, RngCore};
use lakeward_authorization::Authorized;
use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::grants::Standing;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_store::AccessToken;
use sha2::{Digest, Sha256};

use crate::Operations;
use crate::caller::{Call, Caller, Proof, RightPassword};
use crate::error::{Noun, OperationError};
use crate::identity_provider::LocalName;
use crate::named::{Named, Names, TheServer};

/// How every token begins, so that people and secret scanners recognize one.
pub const BEGINNING: &str = "lwpat_";
/// Hexadecimal digits after it: 256 random bits.
const DIGITS: usize = 64;
/// How much of a token is kept to be shown.
const SHOWN: usize = BEGINNING.len() + 6;
/// The longest name of a token, in characters.
const MAX_NAME_CHARS: usize = 64;
/// The most tokens of one account.
const MOST_TOKENS: usize = 100;
/// The most metalakes or roles of one token.
const MOST_NAMES: usize = 100;

/// A token to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccessToken {
    /// What its owner calls it.
    pub name: String,
    /// How long it is good for.
    pub lifetime: Duration,
    /// The only metalakes that it is for.
    pub metalakes: Option<Vec<String>>,
    /// The only roles that it uses, of its only metalake.
    pub roles: Option<Vec<String>>,
    /// Whether it is for reading only.
    pub is_read_only: bool,
}

/// Somebody's token by name. Concerns the server, no metalake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessTokenName {
    /// The account; `None` for the caller's own.
    pub user: Option<String>,
    /// The token.
    pub name: String,
}

impl Names for AccessTokenName {
    fn named(&self) -> Named {
        Named::server()
    }
}

impl Operations {
    /// Whom a token speaks for. What of it is remembered ends with every change of accounts and tokens, on every node.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] for what is no token of this server, was revoked, or whose account was removed;
    /// [`OperationError::TokenExpired`]; or what the store reports.
    pub async fn verify_access_token(
        &self,
        token: &str,
    ) -> Result<(Subject, Arc<AccessToken>), OperationError> {
        let unknown = || {
            OperationError::Unauthenticated(
                "there is no such access token: it was revoked, or is none of this server".to_owned(),
            )
        };
        let digits = token.strip_prefix(BEGINNING).unwrap_or_default();
        let is_hex = digits
            .bytes()
            .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        if digits.len() != DIGITS || !is_hex {
            return Err(unknown());
        }
        let found = self.kept_access_token(hash(token)).await?.ok_or_else(unknown)?;
        if self.clock().millis() >= found.expires_at {
            return Err(OperationError::TokenExpired(format!(
                "the access token `{}` has expired; make another one",
                found.name
            )));
        }
        // It goes with its account, but the two are read one after the other.
        let account = self.local_account(&found.user).await?.ok_or_else(unknown)?;
        let subject = Subject {
            user: account.name,
            groups: GroupClaim::Known(account.groups.into_iter().collect()),
        };
        Ok((subject, found))
    }

    /// Refuses a caller whose token has ended since it was verified, where something goes on for longer than a request.
    ///
    /// # Errors
    /// [`OperationError::Unauthenticated`] for one that was revoked, [`OperationError::TokenExpired`].
    pub(crate) async fn require_living_token(&self, caller: &Caller) -> Result<(), OperationError> {
        let Some(token) = caller.proof.access_token() else {
            return Ok(());
        };
        if self.clock().millis() >= token.expires_at {
            return Err(OperationError::TokenExpired(format!(
                "the access token `{}` has expired; make another one",
                token.name
            )));
        }
        let mut snapshot = self.store().snapshot().await?;
        if snapshot.access_tokens(&token.user).await?.contains(token) {
            return Ok(());
        }
        Err(OperationError::Unauthenticated(format!(
            "the access token `{}` was revoked",
            token.name
        )))
    }

    /// The metalakes that the caller's token is for, where it is for some only.
    pub(crate) async fn metalakes_of_token(
        &self,
        call: &Call,
    ) -> Result<Option<HashSet<ObjectId>>, OperationError> {
        let token = call.caller.proof.access_token();
        let Some(names) = token.and_then(|token| token.metalakes.as_ref()) else {
            return Ok(None);
        };
        let mut snapshot = self.read(&call.facts).await?;
        let mut ids = HashSet::new();
        for name in names {
            ids.extend(snapshot.metalake_id(name).await?);
        }
        Ok(Some(ids))
    }

    async fn kept_access_token(&self, hash: String) -> Result<Option<Arc<AccessToken>>, OperationError> {
        let key = (hash, self.store().server_revision().await?);
        if let Some(known) = self.caches().access_tokens.get(&key) {
            return Ok(known);
        }
        let (hash, _) = key;
        let mut snapshot = self.store().snapshot().await?;
        let found = snapshot.access_token(&hash).await?.map(Arc::new);
        // The counter of the state that was read, not of a moment before.
        let revision = snapshot.server_revision().await?;
        self.caches()
            .access_tokens
            .insert((hash, revision), found.clone());
        Ok(found)
    }

    /// Makes a token for the caller's own account. Gives it with its secret, which is kept nowhere.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`] for who did not log in with the password of a local account;
    /// [`OperationError::AlreadyExists`]; [`OperationError::Invalid`] for a name, a lifetime or a scope that cannot be, and
    /// for one token too many.
    pub async fn create_access_token(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
        new: NewAccessToken,
    ) -> Result<(AccessToken, String), OperationError> {
        let password = require_password(call)?;
        check(&new, self.settings().max_token_lifetime)?;
        let mut secret = [0; DIGITS / 2];
        OsRng.fill_bytes(&mut secret);
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let secret = format!("{BEGINNING}{digits}");
        let created_at = self.clock().millis();
        let lifetime = i64::try_from(new.lifetime.as_millis()).unwrap_or(i64::MAX);
        let token = AccessToken {
            name: new.name,
            user: call.user().to_owned(),
            prefix: secret.chars().take(SHOWN).collect(),
            metalakes: new.metalakes,
            roles: new.roles,
            is_read_only: new.is_read_only,
            created_at,
            expires_at: created_at.saturating_add(lifetime),
        };
        let mut write = self.write_server(call).await?;
        // The account or its password may be another one by now: a body may take its time to come.
        let account = write.idp_user(&token.user).await?;
        if !account.is_some_and(|account| password.is_right_for(&account.password_hash)) {
            return Err(OperationError::Unauthenticated(
                "the password was changed, or the account removed, since the request began".to_owned(),
            ));
        }
        write
            .remove_expired_access_tokens(&token.user, created_at)
            .await?;
        if write.access_tokens(&token.user).await?.len() >= MOST_TOKENS {
            return Err(OperationError::invalid(format!(
                "an account has at most {MOST_TOKENS} access tokens: revoke one first"
            )));
        }
        write
            .create_access_token(&token, &hash(&secret))
            .await
            .map_err(|error| {
                if error.is_unique() {
                    OperationError::already_exists(Noun::AccessToken, &token.name)
                } else {
                    error.into()
                }
            })?;
        write.commit().await?;
        call.notes.concern(format!("access token `{}`", token.name));
        Ok((token, secret))
    }

    /// The tokens of the caller's own account.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`] for who did not log in with the password of a local account.
    pub async fn own_access_tokens(
        &self,
        call: &Call,
        _server: Authorized<TheServer>,
    ) -> Result<Vec<AccessToken>, OperationError> {
        require_password(call)?;
        Ok(self.store().snapshot().await?.access_tokens(call.user()).await?)
    }

    /// The tokens of an account.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the account.
    pub async fn access_tokens_of(
        &self,
        user: Authorized<LocalName>,
    ) -> Result<Vec<AccessToken>, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let name = &user.get().0;
        if snapshot.idp_user(name).await?.is_none() {
            return Err(OperationError::not_found(Noun::LocalUser, name));
        }
        Ok(snapshot.access_tokens(name).await?)
    }

    /// Ends a token with the next request; gives whether there was one.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`] for one's own where one did not log in with the password of a local account.
    pub async fn remove_access_token(
        &self,
        call: &Call,
        token: Authorized<AccessTokenName>,
    ) -> Result<bool, OperationError> {
        let AccessTokenName { user, name } = token.get();
        let user = match user {
            Some(user) => user,
            None => {
                require_password(call)?;
                call.user()
            }
        };
        let mut write = self.write_server(call).await?;
        let removed = write.remove_access_token(user, name).await?;
        write.commit().await?;
        Ok(removed)
    }
}

/// Refuses a token what only its owner may do. A name is taken at its word where no password is asked for, and a token
/// of an issuer speaks of an account of that issuer.
fn require_password(call: &Call) -> Result<&RightPassword, OperationError> {
    if let Proof::Password(right) = &call.caller.proof {
        return Ok(right);
    }
    Err(OperationError::Forbidden(
        "access tokens are for local accounts: log in with your user name and password".to_owned(),
    ))
}

/// Refuses what a token is not for. A token never manages accounts or readers, by whose credentials it would outlive itself;
/// `reads` says that nothing is changed.
///
/// # Errors
/// [`OperationError::Forbidden`].
pub fn require_scope(
    token: &AccessToken,
    makes_credentials: bool,
    reads: bool,
) -> Result<(), OperationError> {
    let refused = |what: &str| {
        Err(OperationError::Forbidden(format!(
            "the access token `{}` {what}",
            token.name
        )))
    };
    if makes_credentials {
        return refused("cannot manage accounts or readers: log in with your user name and password");
    }
    if token.is_read_only && !reads {
        return refused("is for reading only");
    }
    Ok(())
}

/// The roles that a session uses, within those of its token.
///
/// # Errors
/// [`OperationError::Forbidden`] for a role that the token does not use.
pub fn narrowed(token: &AccessToken, asked: ActiveRoles) -> Result<ActiveRoles, OperationError> {
    let Some(roles) = &token.roles else {
        return Ok(asked);
    };
    match asked {
        ActiveRoles::All => Ok(ActiveRoles::Named(roles.iter().cloned().collect())),
        ActiveRoles::None => Ok(ActiveRoles::None),
        ActiveRoles::Named(names) => match names.iter().find(|name| !roles.contains(name)) {
            None => Ok(ActiveRoles::Named(names)),
            Some(name) => Err(OperationError::Forbidden(format!(
                "the access token `{}` does not use the role `{name}`",
                token.name
            ))),
        },
    }
}

/// What the configuration says of a user counts only for tokens that are for the server too.
pub fn standing(token: &AccessToken, of_user: Standing) -> Standing {
    if token.metalakes.is_some() {
        Standing::default()
    } else {
        of_user
    }
}

impl Caller {
    /// Refuses changes of the server itself where the caller's token is for metalakes only.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`].
    pub fn require_server(&self) -> Result<(), OperationError> {
        match self.proof.access_token() {
            Some(token) if token.metalakes.is_some() => Err(OperationError::Forbidden(format!(
                "the access token `{}` is for metalakes, not for the server",
                token.name
            ))),
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses metalakes that the caller's token is not for.
    ///
    /// # Errors
    /// [`OperationError::Forbidden`], the same whether or not there is such a metalake.
    pub(crate) fn require_metalake(&self, metalake: &str) -> Result<(), OperationError> {
        let Some(token) = self.proof.access_token() else {
            return Ok(());
        };
        match &token.metalakes {
            Some(metalakes) if !metalakes.iter().any(|name| name == metalake) => {
                Err(OperationError::Forbidden(format!(
                    "the access token `{}` is not for this metalake",
                    token.name
                )))
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn hash(token: &str) -> String {
    Sha256::digest(token)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn check(new: &NewAccessToken, max_lifetime: Duration) -> Result<(), OperationError> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !(1..=MAX_NAME_CHARS).contains(&new.name.chars().count()) || !new.name.chars().all(legal) {
        return Err(OperationError::invalid(format!(
            "`{}` cannot name an access token: 1 to {MAX_NAME_CHARS} letters, digits, `-`, `_` and `.` are allowed",
            new.name
        )));
    }
    if new.lifetime.is_zero() || new.lifetime > max_lifetime {
        return Err(OperationError::invalid(format!(
            "an access token is good for 1 to {} seconds (`lakeward.tokens.maxLifetimeDays`)",
            max_lifetime.as_secs()
        )));
    }
    for (what, names) in [("metalakes", &new.metalakes), ("roles", &new.roles)] {
        let Some(names) = names else { continue };
        if !(1..=MOST_NAMES).contains(&names.len()) || names.iter().any(|name| name.trim().is_empty()) {
            return Err(OperationError::invalid(format!(
                "`{what}` must be left out, or name 1 to {MOST_NAMES}"
            )));
        }
    }
    if new.roles.is_some()
        && new
            .metalakes
            .as_ref()
            .is_none_or(|metalakes| metalakes.len() != 1)
    {
        return Err(OperationError::invalid(
            "roles belong to a metalake: a token with `roles` must be for one metalake",
        ));
    }
    Ok(())
}
