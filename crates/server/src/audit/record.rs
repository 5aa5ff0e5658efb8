// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! One line of the audit log. Members that say nothing are left out. Nothing of a body, a header or a query is in it.

use std::net::IpAddr;

use lakeward_operations::notes::Widening;
use lakeward_store::Revision;
use serde::Serialize;
use serde::ser::SerializeStruct;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// A change is about to be made; the record of how it ended follows. Only where the log is required.
    Begun,
    /// Done.
    Allowed,
    /// Not permitted: by authorization, by restrictions, by the state that it found.
    Refused,
    /// It failed, without effect.
    Failed,
    /// It failed, and nobody can say whether it had its effect.
    Unknown,
    /// The client went away before it was answered.
    GivenUp,
}

/// The object that a request was decided about.
#[derive(Debug, Clone, Serialize)]
pub struct Object<'a> {
    /// Its metalake.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metalake: Option<&'a str>,
    /// Its kind (`table`).
    #[serde(rename = "type")]
    pub kind: String,
    /// Its full name.
    pub name: String,
}

/// The reader that a request came through.
#[derive(Debug, Clone, Serialize)]
pub struct Reader<'a> {
    /// The name of the operator's entry.
    pub name: &'a str,
    /// The revision of the entry.
    pub revision: i64,
}

/// A request to the storage that was signed for somebody; neither its query nor its headers.
#[derive(Debug, Clone, Serialize)]
pub struct SignedRequest<'a> {
    /// Its method.
    pub method: &'a str,
    /// The location of the object that it reaches.
    pub object: &'a str,
}

/// One decision.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Record<'a> {
    /// When, in UTC with milliseconds.
    pub time: String,
    /// The id of the request, in its answer too.
    pub request_id: &'a str,
    /// Who asked.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub user: &'a str,
    /// By which of the user's access tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_token: Option<&'a str>,
    /// Through which reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader<'a>>,
    /// From where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<IpAddr>,
    /// What (`LoadTable`).
    pub operation: &'a str,
    /// The method.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub method: &'a str,
    /// The path.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub path: &'a str,
    /// About what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Object<'a>>,
    /// About what beside objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concerns: Option<&'a str>,
    /// The state that it was decided on.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "revision")]
    pub revision: Option<Revision>,
    /// How it ended.
    pub outcome: Decision,
    /// The status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The stable code of a refusal because of restrictions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// What the caller was told of a refusal or failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// Why authorization refused it: the rule, what is missing, and which roles deny.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<&'a serde_json::Value>,
    /// The signature of the restrictions that the answer carries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<&'a str>,
    /// What the credential or signature that the answer carries permits: `read` or `read-write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegated: Option<&'static str>,
    /// The request to the storage that the answer signs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed: Option<SignedRequest<'a>>,
    /// Whether the request said `force=true`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// The restrictions that it took from objects, where it was allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub widened: Vec<Widened>,
    /// What spoke against a change that was forced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disregarded: Vec<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
    /// How many requests or connections it stands for, where it is not one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// Restrictions that were taken from objects.
#[derive(Debug, Clone, Serialize)]
pub struct Widened {
    policies: Vec<String>,
    objects: Vec<String>,
}

impl From<Widening> for Widened {
    fn from(widening: Widening) -> Self {
        Self {
            policies: widening.policies.into_iter().collect(),
            objects: widening.objects.into_iter().collect(),
        }
    }
}

impl<'a> Record<'a> {
    /// A record that says only what happened, now.
    pub fn of(request_id: &'a str, operation: &'a str, outcome: Decision) -> Self {
        Self {
            time: chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
            request_id,
            user: "",
            access_token: None,
            reader: None,
            remote: None,
            operation,
            method: "",
            path: "",
            object: None,
            concerns: None,
            revision: None,
            outcome,
            status: None,
            code: None,
            reason: None,
            explanation: None,
            signature: None,
            delegated: None,
            signed: None,
            forced: false,
            widened: Vec::new(),
            disregarded: Vec::new(),
            micros: None,
            count: None,
        }
    }
}

fn revision<S: serde::Serializer>(revision: &Option<Revision>, serializer: S) -> Result<S::Ok, S::Error> {
    let Some(revision) = revision else {
        return serializer.serialize_none();
    };
    let mut members = serializer.serialize_struct("Revision", 4)?;
    members.serialize_field("objects", &revision.objects)?;
    members.serialize_field("identities", &revision.identities)?;
    members.serialize_field("grants", &revision.grants)?;
    members.serialize_field("governance", &revision.governance)?;
    members.end()
}
