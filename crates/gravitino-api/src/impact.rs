// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `POST …/metalakes/{metalake}/read-restrictions/impact` (ours): what a policy, a tag or the assignment of a tag
//! reaches, and where it would fail.

use serde::{Deserialize, Serialize};

use crate::draft::{DraftDto, DraftPolicy, drafts};
use crate::request::{RequestError, not_blank};

/// The question: `policy`, or `tag`, or `tag` with `object`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct ImpactRequest {
    /// A policy, stored or a draft.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub policy: Option<String>,
    /// A tag.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tag: Option<String>,
    /// Where the tag is assigned, or would be.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub object: Option<ImpactObjectDto>,
    /// The values of an intended assignment, none for one without; absent for the assignment that there is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub values: Option<Vec<String>>,
    /// Policies that are not stored, and take part all the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drafts: Option<Vec<DraftDto>>,
}

/// The object of an assignment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct ImpactObjectDto {
    /// The type in any case.
    #[serde(rename = "type")]
    pub object_type: String,
    /// The dotted name without the metalake.
    pub full_name: String,
}

/// What the question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImpactSubject {
    /// A policy.
    Policy(String),
    /// A tag, wherever it is.
    Tag(String),
    /// A tag on one object.
    Assignment {
        /// The tag.
        tag: String,
        /// The object, as it is named.
        object: ImpactObjectDto,
        /// The values of an intended assignment.
        values: Option<Vec<String>>,
    },
}

/// A question, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactQuestion {
    /// What it is about.
    pub subject: ImpactSubject,
    /// What would be stored.
    pub drafts: Vec<DraftPolicy>,
}

impl TryFrom<ImpactRequest> for ImpactQuestion {
    type Error = RequestError;

    fn try_from(request: ImpactRequest) -> Result<Self, RequestError> {
        let subject = match (request.policy, request.tag, request.object) {
            (Some(policy), None, None) => ImpactSubject::Policy(not_blank("policy", Some(policy))?),
            (None, Some(tag), None) => ImpactSubject::Tag(not_blank("tag", Some(tag))?),
            (None, Some(tag), Some(object)) => ImpactSubject::Assignment {
                tag: not_blank("tag", Some(tag))?,
                object,
                values: request.values.clone(),
            },
            _ => {
                return Err(RequestError::invalid(
                    "policy",
                    "give `policy`, or `tag`, or `tag` with `object`",
                ));
            }
        };
        if request.values.is_some() && !matches!(subject, ImpactSubject::Assignment { .. }) {
            return Err(RequestError::invalid(
                "values",
                "values belong to the assignment of a tag to an `object`",
            ));
        }
        Ok(Self {
            subject,
            drafts: drafts(request.drafts)?,
        })
    }
}

/// What a policy, a tag or an assignment does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ImpactDto {
    /// The tables that it reaches and that the caller has access to, by full name.
    pub tables: Vec<TableImpactDto>,
    /// How many more it reaches. Of these nothing else is told.
    pub hidden_tables: usize,
    /// How many of `tables` have a failure.
    pub would_fail: usize,
    /// How many of `tables` could not be examined, since their metadata could not be read.
    pub unchecked: usize,
    /// Whether there are more tables than one answer examines.
    pub truncated: bool,
    /// Who could lift it by taking away or overriding one of its tags.
    pub lifting: Vec<LiftingDto>,
    /// How many more could, whose names the caller may not see.
    pub hidden_lifting: usize,
    /// The readers that can be served what is restricted.
    pub readers: Vec<ImpactReaderDto>,
    /// How many of them are enabled.
    pub readers_enrolled: usize,
}

/// What it does to one table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableImpactDto {
    /// The full name.
    pub table: String,
    /// The columns that it masks or, for a tag, is on.
    pub columns: Vec<String>,
    /// The policies that take part; null for one that the caller may not see.
    pub policies: Vec<Option<String>>,
    /// Whether it filters rows.
    pub row_filter: bool,
    /// Why loads would fail; null when they would not.
    pub failure: Option<FailureDto>,
    /// How many more reasons there are.
    pub more_failures: usize,
}

/// Why loads would fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureDto {
    /// The code of a load that is refused, `possible-conflict`, or `unchecked`.
    pub code: String,
    /// What it means, without names.
    pub message: String,
    /// What happened, with names; null when it speaks of something that the caller may not see.
    pub detail: Option<String>,
    /// Whether every load would fail, or only those of some subjects.
    pub certain: bool,
}

/// Somebody who could lift a restriction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiftingDto {
    /// Who.
    pub principal: LiftingPrincipalDto,
    /// By what.
    pub through: String,
}

/// A user, a group or a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiftingPrincipalDto {
    /// `user`, `group` or `role`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name.
    pub name: String,
}

/// A reader that is enrolled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ImpactReaderDto {
    /// Its name; null for a caller who is no operator.
    pub name: Option<String>,
    /// How it is known: `certificate`, `oauth-client` or `actor`.
    pub kind: String,
    /// Whether it is trusted now.
    pub enabled: bool,
    /// When it was last served a restricted table, as an ISO 8601 instant in UTC; null when never.
    pub last_load: Option<String>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactResponse {
    /// Always 0.
    pub code: i32,
    /// What it does.
    pub impact: ImpactDto,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ImpactQuestion, ImpactRequest, ImpactSubject};

    fn understood(request: Value) -> Result<ImpactQuestion, String> {
        let request: ImpactRequest = serde_json::from_value(request).map_err(|error| error.to_string())?;
        request
            .try_into()
            .map_err(|error: crate::request::RequestError| error.to_string())
    }

    #[test]
    fn one_of_three_things_is_asked() {
        assert_eq!(
            understood(json!({"policy": "p"})).unwrap().subject,
            ImpactSubject::Policy("p".to_owned())
        );
        assert_eq!(
            understood(json!({"tag": "t"})).unwrap().subject,
            ImpactSubject::Tag("t".to_owned())
        );
        let object = json!({"type": "table", "fullName": "c.s.t"});
        let assignment = understood(json!({"tag": "t", "object": object, "values": []})).unwrap();
        assert!(
            matches!(assignment.subject, ImpactSubject::Assignment { values: Some(values), .. } if values.is_empty())
        );
        for wrong in [
            json!({}),
            json!({"policy": "p", "tag": "t"}),
            json!({"policy": " "}),
            json!({"object": object}),
            json!({"policy": "p", "object": object}),
            json!({"tag": "t", "values": ["x"]}),
            json!({"tag": "t", "unknown": 1}),
        ] {
            assert!(understood(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
