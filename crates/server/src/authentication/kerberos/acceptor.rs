// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The server's side of GSSAPI (RFC 2743), through the system's library.

use libgssapi::context::{CtxFlags, SecurityContext as _, ServerCtx};
use libgssapi::credential::{Cred, CredUsage};
use libgssapi::error::Error;
use libgssapi::name::Name;
use libgssapi::oid::{GSS_MECH_KRB5, GSS_MECH_SPNEGO, GSS_NT_KRB5_PRINCIPAL, OidSet};

use crate::config::ConfigurationError;
use crate::config::kerberos::KerberosSettings;

/// Who accepts tickets.
#[derive(Debug)]
pub(super) struct Acceptor(Cred);

/// A ticket that was accepted.
pub(super) struct Accepted {
    /// The principal of the client, with its realm.
    pub(super) client: String,
    /// What proves the server to the client.
    pub(super) answer: Option<Vec<u8>>,
}

/// Why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It has ended.
    Expired,
    /// It was shown before.
    Replayed,
    /// The clocks differ too much.
    Skewed,
    /// It is the first of several, and nothing is remembered between requests.
    Unfinished,
    /// Anything else; the log says what.
    Invalid,
    /// The client has no name here.
    NoName,
}

impl Refusal {
    /// What whoever sent it is told.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Expired => "the Kerberos ticket has expired; get a new one with `kinit`",
            Self::Replayed => {
                "the Kerberos ticket was shown before in just this request; send a new one with each"
            }
            Self::Skewed => {
                "the clock of this machine and that of the server differ too much for Kerberos; set them right"
            }
            Self::Unfinished => {
                "the `Negotiate` token begins an exchange of several, which is not supported: offer Kerberos first"
            }
            Self::Invalid => "the Kerberos ticket is refused: it is not for this server, or not valid",
            Self::NoName => "the principal of the Kerberos ticket has no name here",
        }
    }

    /// By the words of the library, since the numbers of its causes are given out anew in every process.
    fn of(error: &Error) -> Self {
        let said = error.to_string();
        let known = [
            ("Ticket expired", Self::Expired),
            ("Request is a replay", Self::Replayed),
            ("Clock skew too great", Self::Skewed),
        ];
        let known = known.into_iter().find(|(words, _)| said.contains(words));
        known.map_or(Self::Invalid, |(_, refusal)| refusal)
    }
}

impl Acceptor {
    pub(super) fn new(settings: &KerberosSettings) -> Result<Self, ConfigurationError> {
        let refused = |cause: &dyn std::fmt::Display| {
            ConfigurationError::Combination(format!(
                "the keytab `{}` gives no key of `{}`: {cause}; see `klist -k`",
                settings.keytab.display(),
                settings.principal
            ))
        };
        std::fs::File::open(&settings.keytab).map_err(|cause| refused(&cause))?;
        let (variable, value) = settings.environment();
        if std::env::var(variable).ok().as_deref() != Some(&value) {
            return Err(ConfigurationError::Combination(format!(
                "start the server with the environment variable `{variable}` set to `{value}`: the Kerberos library finds the \
                 keytab by it alone"
            )));
        }
        let mechanisms = || {
            let mut set = OidSet::singleton(GSS_MECH_KRB5)?;
            set.add(GSS_MECH_SPNEGO)?;
            Ok::<_, Error>(set)
        };
        let mechanisms = mechanisms().map_err(|cause| refused(&cause))?;
        let name = Name::new(settings.principal.as_bytes(), Some(GSS_NT_KRB5_PRINCIPAL))
            .map_err(|cause| refused(&cause))?;
        Cred::acquire(Some(&name), None, CredUsage::Accept, Some(&mechanisms))
            .map(Self)
            .map_err(|cause| refused(&cause))
    }

    /// Judges a token. Blocks.
    ///
    /// # Errors
    /// [`Refusal`]; what the library says is in the log.
    pub(super) fn accept(&self, token: &[u8]) -> Result<Accepted, Refusal> {
        let refused = |error: Error| {
            tracing::info!(%error, "a Kerberos ticket is refused");
            Refusal::of(&error)
        };
        let mut context = ServerCtx::new(Some(self.0.clone()));
        let answer = context.step(token, None).map_err(refused)?;
        if !context.is_complete() {
            return Err(Refusal::Unfinished);
        }
        // Other mechanisms of the machine would name others, and a ticket of nobody names nobody.
        let flags = context.flags().map_err(refused)?;
        if context.mechanism().map_err(refused)? != GSS_MECH_KRB5 || flags.contains(CtxFlags::GSS_C_ANON_FLAG)
        {
            return Err(Refusal::Invalid);
        }
        let client = context.source_name().map_err(refused)?;
        let client = client.display_name().map_err(refused)?;
        let client = String::from_utf8(client.to_vec()).map_err(|_| Refusal::NoName)?;
        Ok(Accepted {
            client,
            answer: answer.map(|token| token.to_vec()),
        })
    }
}
