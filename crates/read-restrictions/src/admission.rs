// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The gate between what a provider loaded and what a client gets: the seed's five outcomes.
//!
//! A provider answers [`Ungoverned`]; only [`admit`] turns that into [`Governed`], the one thing a protocol can
//! write into an answer. The fifth outcome, a restriction that cannot be resolved, happens before: without a resolved
//! [`ReadRestrictions`] there is nothing to call [`admit`] with.

use crate::capabilities::Capabilities;
use crate::code::RestrictionCode;
use crate::restrictions::ReadRestrictions;

/// A loaded thing for which nobody has decided yet what of it may be shown.
#[derive(Debug, Clone)]
#[must_use = "what was loaded is shown only after `admit`"]
pub struct Ungoverned<T>(T);

impl<T> Ungoverned<T> {
    /// Wraps what a provider loaded.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Reads facts that are needed to resolve restrictions (the fields of the schema, the location). Not a way to get at
    /// what will be answered.
    pub fn map_ref<R>(&self, facts: impl FnOnce(&T) -> R) -> R {
        facts(&self.0)
    }

    /// Changes the thing before it is decided upon, for instance to the form in which it will be answered.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Ungoverned<U> {
        Ungoverned(change(self.0))
    }
}

/// A loaded thing together with what the reader must enforce on it. Made by [`admit`] alone.
#[derive(Debug, Clone)]
pub struct Governed<T> {
    value: T,
    restrictions: Option<ReadRestrictions>,
}

impl<T> Governed<T> {
    /// The thing.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// What the reader must enforce; `None` when nothing is restricted.
    pub fn restrictions(&self) -> Option<&ReadRestrictions> {
        self.restrictions.as_ref()
    }

    /// The same decision about another form of the thing, for instance the one that a protocol writes.
    pub fn map_ref<'a, U>(&'a self, form: impl FnOnce(&'a T) -> U) -> Governed<U> {
        Governed {
            value: form(&self.value),
            restrictions: self.restrictions.clone(),
        }
    }

    /// Takes both apart, to write them into one answer.
    pub fn into_parts(self) -> (T, Option<ReadRestrictions>) {
        (self.value, self.restrictions)
    }
}

/// A reader that the operator vouches for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TrustedReader {
    /// The name of the operator's entry.
    pub name: String,
    /// The revision of that entry, part of the cache identity.
    pub revision: i64,
}

/// Why a request that comes through an enrolled reader is not trusted all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Distrust {
    /// The credentials are the reader's own, so there is no end user whose restrictions it would enforce.
    #[error(
        "the credentials are the reader's own and name no end user: send a token of the end user that this reader obtained, \
         or one that names the reader as its actor (`act`)"
    )]
    WithoutUser,
    /// Two proofs of the request name different readers.
    #[error(
        "the connection and the token, or two claims of the token, name different readers: come through one reader with a \
         token that was made for it"
    )]
    TwoReaders,
}

/// Whether the channel of a request is bound to a reader that enforces restrictions. A header never makes it so.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Any other client.
    Untrusted,
    /// An enrolled reader in a way that cannot be trusted.
    Refused(Distrust),
    /// The channel is bound to this reader.
    Trusted(TrustedReader),
}

/// Why something restricted is not shown to this client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// 406: the client did not declare that it understands read restrictions.
    #[error(
        "this table has read restrictions for you, and the client does not declare `X-Gravitino-Client-Capabilities: read-restrictions.v1`"
    )]
    NotAcceptable,
    /// 403: the client declared it, but its channel is not bound to a trusted reader.
    #[error(
        "this table has read restrictions for you, and the client is not a trusted reader; declaring the capability does not make it one"
    )]
    UntrustedReader,
    /// 403: the channel is bound to a reader, and yet this request is not trusted.
    #[error("this table has read restrictions for you, and the request is not trusted: {0}")]
    Distrusted(Distrust),
}

impl NotAdmitted {
    /// The stable code.
    pub const fn code(self) -> RestrictionCode {
        match self {
            Self::NotAcceptable => RestrictionCode::NotAcceptable,
            Self::UntrustedReader | Self::Distrusted(_) => RestrictionCode::UntrustedReader,
        }
    }
}

/// Decides whether something with these restrictions may be shown to a client. For use before an effect, whose
/// answer will go through [`admit`] afterwards.
///
/// # Errors
/// [`NotAdmitted`], the outcomes 406 and 403.
pub fn check_admission(
    restrictions: &ReadRestrictions,
    capabilities: &Capabilities,
    trust: &Trust,
) -> Result<(), NotAdmitted> {
    if !restrictions.is_active() {
        return Ok(());
    }
    if !capabilities.understands_read_restrictions() {
        return Err(NotAdmitted::NotAcceptable);
    }
    match trust {
        Trust::Untrusted => Err(NotAdmitted::UntrustedReader),
        Trust::Refused(why) => Err(NotAdmitted::Distrusted(*why)),
        Trust::Trusted(_) => Ok(()),
    }
}

/// Decides what a client gets of something that was loaded.
///
/// # Errors
/// [`NotAdmitted`], the outcomes 406 and 403; what was loaded is dropped.
pub fn admit<T>(
    loaded: Ungoverned<T>,
    restrictions: ReadRestrictions,
    capabilities: &Capabilities,
    trust: &Trust,
) -> Result<Governed<T>, NotAdmitted> {
    check_admission(&restrictions, capabilities, trust)?;
    Ok(Governed {
        value: loaded.0,
        restrictions: restrictions.is_active().then_some(restrictions),
    })
}

#[cfg(test)]
mod tests;
