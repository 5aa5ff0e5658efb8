// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From the claims of a verified token to an identity: the principal, its groups, the client and the actor.

use std::collections::BTreeSet;

use lakeward_metadata::principal::{ANONYMOUS, GroupClaim, Subject, check_principal_name};
use lakeward_operations::caller::Proof;
use lakeward_operations::reader::{Acting, TokenEvidence};
use serde_json::{Map, Value};

use super::refusal::TokenRefusal;
use crate::authentication::Identity;
use crate::config::name_mapper::NameMapper;

/// Which claims say what.
#[derive(Debug)]
pub(super) struct ClaimReader {
    pub(super) principal_fields: Vec<String>,
    pub(super) groups_fields: Vec<String>,
    pub(super) principal_mapper: NameMapper,
    pub(super) group_mapper: NameMapper,
}

type Claims = Map<String, Value>;

impl ClaimReader {
    /// Who the token is about, and who presents it.
    pub(super) fn identity(&self, claims: &Claims) -> Result<Identity, TokenRefusal> {
        let subject = subject_claim(claims)?;
        let acting = acting(claims)?;
        let user = self.principal(claims)?;
        let client = client(claims);
        let token = TokenEvidence {
            is_of_client_itself: is_of_client_itself(claims, subject, client),
            subject: subject.map(str::to_owned),
            client: client.map(str::to_owned),
            acting,
            may_act: may_act(claims),
        };
        Ok(Identity {
            subject: Subject {
                user,
                groups: self.groups(claims),
            },
            token: Some(token),
            proof: Proof::Foreign,
            answer: None,
        })
    }

    fn principal(&self, claims: &Claims) -> Result<String, TokenRefusal> {
        let named = self
            .principal_fields
            .iter()
            .find_map(|field| text(claims, field))
            .ok_or_else(|| TokenRefusal::NoPrincipal(self.principal_fields.join(", ")))?;
        let user = self
            .principal_mapper
            .map(named)
            .ok_or(TokenRefusal::UnmappedPrincipal)?;
        // The name of nobody is not for somebody.
        if user.trim().is_empty() || user == ANONYMOUS || check_principal_name("principal", user).is_err() {
            return Err(TokenRefusal::BadPrincipal);
        }
        Ok(user.to_owned())
    }

    /// The first claim that is a list. What is no list, or holds anything but names, leaves the groups unreadable, which is
    /// not the same as none.
    fn groups(&self, claims: &Claims) -> GroupClaim {
        let list = self
            .groups_fields
            .iter()
            .find_map(|field| claims.get(field).and_then(Value::as_array));
        let names: Option<BTreeSet<String>> = list.and_then(|list| {
            list.iter()
                .map(|name| {
                    let name = name.as_str().filter(|name| !name.is_empty())?;
                    // A group that the pattern says nothing about keeps its name.
                    Some(self.group_mapper.map(name).unwrap_or(name).to_owned())
                })
                .collect()
        });
        names.map_or(GroupClaim::Unreadable, GroupClaim::Known)
    }
}

/// A claim that is a text with something in it.
fn text<'a>(claims: &'a Claims, name: &str) -> Option<&'a str> {
    claims
        .get(name)
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
}

/// `sub`: absent, or a text with something in it.
fn subject_claim(claims: &Claims) -> Result<Option<&str>, TokenRefusal> {
    match claims.get("sub") {
        None => Ok(None),
        Some(_) => text(claims, "sub").map(Some).ok_or(TokenRefusal::BadSubject),
    }
}

/// The OAuth client that obtained the token. Two claims that disagree name nobody.
fn client(claims: &Claims) -> Option<&str> {
    let named = ["azp", "client_id", "cid"].map(|name| text(claims, name));
    let mut named = named.into_iter().flatten();
    let first = named.next()?;
    named.all(|other| other == first).then_some(first)
}

/// Who acts: the outermost `act` alone; those inside acted before it and say nothing of now (RFC 8693, section 4.1).
fn acting(claims: &Claims) -> Result<Acting, TokenRefusal> {
    let Some(act) = claims.get("act") else {
        return Ok(Acting::Nobody);
    };
    let act = act.as_object().ok_or(TokenRefusal::BadActor)?;
    let actor = text(act, "sub").ok_or(TokenRefusal::BadActor)?;
    Ok(if is_of_same_issuer(act, claims) {
        Acting::By(actor.to_owned())
    } else {
        Acting::BySomebodyElse
    })
}

/// `may_act`: only whom it names may be made to act for the subject. What cannot be read names nobody.
fn may_act(claims: &Claims) -> Option<String> {
    let named = claims.get("may_act")?;
    let named = named
        .as_object()
        .filter(|named| is_of_same_issuer(named, claims))
        .and_then(|named| text(named, "sub"));
    Some(named.unwrap_or_default().to_owned())
}

/// Whether claims within a token name a subject of its own issuer: one of another may have the same text.
fn is_of_same_issuer(named: &Claims, claims: &Claims) -> bool {
    named
        .get("iss")
        .is_none_or(|issuer| Some(issuer) == claims.get("iss"))
}

/// Whether the client got the token for itself, with its own credentials. RFC 9068 says only that `sub` should then name
/// the client, so what the common servers write instead is known here as well.
fn is_of_client_itself(claims: &Claims, subject: Option<&str>, client: Option<&str>) -> bool {
    let is = |name: &str, value: &str| text(claims, name) == Some(value);
    if is("gty", "client-credentials") || is("idtyp", "app") {
        return true;
    }
    client.is_some_and(|client| {
        subject == Some(client)
            || subject.and_then(|subject| subject.strip_suffix("@clients")) == Some(client)
            || text(claims, "preferred_username").and_then(|name| name.strip_prefix("service-account-"))
                == Some(client)
    })
}

#[cfg(test)]
mod tests;
