// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a client with certain capabilities gets through a certain reader.
//!
//! Which readers are trusted is for operators to know. For everybody else the answer does not depend on the entry: where
//! it would, both outcomes are told.

use lakeward_governance::explain::Explanation;
use lakeward_read_restrictions::admission::{NotAdmitted, Trust, TrustedReader, check_admission};
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_read_restrictions::code::RestrictionCode;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use serde_json::{Value, json};

use super::ExplainQuestion;
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;

/// One outcome.
#[derive(Debug, PartialEq, Eq)]
struct Admission {
    status: u16,
    code: Option<RestrictionCode>,
    reason: Option<String>,
}

impl Operations {
    /// The outcome. Null when the question names neither a reader nor capabilities.
    pub(super) async fn admission(
        &self,
        call: &Call,
        question: &ExplainQuestion,
        explanation: &Explanation,
    ) -> Result<Value, OperationError> {
        if question.reader.is_none() && question.capabilities.is_none() {
            return Ok(Value::Null);
        }
        let restrictions = match explanation.outcome() {
            Err(error) => {
                let refused = Admission {
                    status: if error.transient { 503 } else { 403 },
                    code: Some(error.restriction_code()),
                    reason: Some(error.to_string()),
                };
                return Ok(refused.to_json());
            }
            Ok(_) if explanation.selects() && !self.settings().read_restrictions_enabled => {
                let refused = Admission {
                    status: 403,
                    code: Some(RestrictionCode::Disabled),
                    reason: Some("read restrictions are switched off on this server".to_owned()),
                };
                return Ok(refused.to_json());
            }
            Ok(resolution) => &resolution.restrictions,
        };
        let capabilities = match &question.capabilities {
            None => Capabilities::parse(&[]),
            Some(header) => Capabilities::parse(&[header.as_bytes()]),
        };
        let reader = question.reader.as_deref();
        let untrusted = admission(restrictions, &capabilities, &Trust::Untrusted);
        let Some(reader) = reader else {
            return Ok(untrusted.to_json());
        };
        let trusted = admission(restrictions, &capabilities, &trusted_as(reader, 0));
        if trusted == untrusted {
            return Ok(trusted.to_json());
        }
        if !may_know(call, reader) {
            return Ok(json!({
                "admitted": null,
                "status": null,
                "reason": "whether a reader is trusted is told to operators",
                "trusted-status": trusted.status,
                "untrusted-status": untrusted.status,
            }));
        }
        let mut snapshot = self.store().snapshot().await?;
        let entry = snapshot.reader(reader).await?;
        let is_trusted = entry.is_some_and(|entry| entry.is_enabled);
        Ok(if is_trusted { trusted } else { untrusted }.to_json())
    }
}

impl Admission {
    fn to_json(&self) -> Value {
        let mut told = json!({ "admitted": self.status == 200, "status": self.status });
        if let (Some(code), Some(reason), Some(members)) = (self.code, &self.reason, told.as_object_mut()) {
            members.insert("code".to_owned(), json!(code.as_str()));
            members.insert("reason".to_owned(), json!(reason));
        }
        told
    }
}

fn admission(restrictions: &ReadRestrictions, capabilities: &Capabilities, trust: &Trust) -> Admission {
    let (status, refusal) = match check_admission(restrictions, capabilities, trust) {
        Ok(()) => (200, None),
        Err(refusal @ NotAdmitted::NotAcceptable) => (406, Some(refusal)),
        Err(refusal @ (NotAdmitted::UntrustedReader | NotAdmitted::Distrusted(_))) => (403, Some(refusal)),
    };
    Admission {
        status,
        code: refusal.map(NotAdmitted::code),
        reason: refusal.map(|refusal| refusal.to_string()),
    }
}

fn trusted_as(name: &str, revision: i64) -> Trust {
    Trust::Trusted(TrustedReader {
        name: name.to_owned(),
        revision,
    })
}

/// Operators know every reader, and who comes through one knows that one.
fn may_know(call: &Call, reader: &str) -> bool {
    let comes_through = match &call.caller.trust {
        Trust::Trusted(own) => own.name == reader,
        Trust::Untrusted | Trust::Refused(_) => false,
    };
    comes_through || call.caller.standing.operator
}
