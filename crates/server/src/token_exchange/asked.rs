// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is asked of a token exchange (RFC 8693, section 2.1).

use std::collections::BTreeSet;

use lakeward_operations::OperationError;
use lakeward_operations::error::Mistake;

use super::form::Form;

const GRANT_TYPE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
/// The type of the tokens that are given.
pub(super) const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
/// The types of the tokens that are taken. Both are signed access tokens of the issuer.
const TAKEN: [&str; 2] = [ACCESS_TOKEN, "urn:ietf:params:oauth:token-type:jwt"];

/// See the module.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) subject_token: String,
    pub(super) actor_token: Option<String>,
    scope: Option<String>,
    targets: Vec<String>,
}

impl Asked {
    /// Reads the parameters. Unknown ones are ignored, as RFC 6749 says in section 3.2.
    pub(super) fn read(form: Form) -> Result<Self, OperationError> {
        let grant_type = form.required("grant_type")?;
        if grant_type != GRANT_TYPE {
            return Err(OperationError::mistake(
                Mistake::GrantType,
                format!("`grant_type` must be `{GRANT_TYPE}`"),
            ));
        }
        let subject_token = form.required("subject_token")?;
        taken_type("subject_token_type", &form.required("subject_token_type")?)?;
        let actor_token = form.optional("actor_token")?;
        match (&actor_token, form.optional("actor_token_type")?) {
            (Some(_), Some(kind)) => taken_type("actor_token_type", &kind)?,
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => {
                return Err(OperationError::invalid(
                    "`actor_token` and `actor_token_type` go together",
                ));
            }
        }
        if let Some(kind) = form.optional("requested_token_type")?
            && kind != ACCESS_TOKEN
        {
            return Err(OperationError::invalid(format!(
                "`requested_token_type` must be left out, or be `{ACCESS_TOKEN}`"
            )));
        }
        let mut targets = form.all("audience");
        targets.extend(form.all("resource"));
        Ok(Self {
            subject_token,
            actor_token,
            scope: form.optional("scope")?,
            targets,
        })
    }

    /// Refuses to give tokens for anything but this server.
    pub(super) fn require_target(&self, audience: &str) -> Result<(), OperationError> {
        if self.targets.iter().all(|target| target == audience) {
            return Ok(());
        }
        Err(OperationError::mistake(
            Mistake::Target,
            "tokens are given for this server only: leave `audience` and `resource` out",
        ))
    }

    /// The scopes of the token that is given: those that are asked for, which the given token must have, or all of them.
    pub(super) fn narrowed(&self, given: Option<&str>) -> Result<Option<String>, OperationError> {
        let given: BTreeSet<&str> = given.unwrap_or_default().split_ascii_whitespace().collect();
        let asked: BTreeSet<&str> = match &self.scope {
            Some(asked) => asked.split_ascii_whitespace().collect(),
            None => given.clone(),
        };
        if !asked.is_subset(&given) {
            return Err(OperationError::mistake(
                Mistake::Scope,
                "`scope` asks for more than `subject_token` has",
            ));
        }
        let scope = asked.into_iter().collect::<Vec<_>>().join(" ");
        Ok((!scope.is_empty()).then_some(scope))
    }
}

fn taken_type(parameter: &str, kind: &str) -> Result<(), OperationError> {
    if TAKEN.contains(&kind) {
        return Ok(());
    }
    Err(OperationError::invalid(format!(
        "`{parameter}` must be one of {}",
        TAKEN.map(|kind| format!("`{kind}`")).join(", ")
    )))
}
