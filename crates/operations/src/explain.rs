// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a table is restricted for a subject: for the subject itself, and for those who write policies.
//!
//! The same evaluation as of a load, told in full. Nothing is guessed: groups that no source knows are unknown, and a
//! rule that asks for one says so.

use std::collections::HashSet;
use std::sync::Arc;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::decide::{Decision, decide};
use lakeward_authorization::{Authorized, Grants, Privilege, Requirement, Target, Visibility};
use lakeward_governance::explain::{Explanation, NameKind};
use lakeward_governance::policy::StoredPolicy;
use lakeward_governance::resolve::{Evaluated, GovernanceFacts, ResolutionError, ResolutionInput, evaluate};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::{GroupClaim, Subject};
use lakeward_read_restrictions::admission::{NotAdmitted, Trust, TrustedReader, check_admission};
use lakeward_read_restrictions::capabilities::Capabilities;
use lakeward_store::Page;
use serde_json::{Map, Value, json};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::named::{Named, NamedWhat, Names};
use crate::paths::ObjectPath;
use crate::restrictions::CachedRules;

/// A table to explain, and disabled policies to treat as if they were enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainPath {
    /// The table.
    pub table: ObjectPath,
    /// The policies by name.
    pub policies: Vec<String>,
}

impl Names for ExplainPath {
    fn named(&self) -> Named {
        Named::of(
            &self.table.metalake,
            NamedWhat::Instruments {
                object: self.table.object.clone(),
                instruments: self
                    .policies
                    .iter()
                    .map(|policy| ObjectPath::top(&self.table.metalake, ObjectKind::Policy, policy).object)
                    .collect(),
            },
        )
    }
}

/// For whom, and through which reader.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExplainQuestion {
    /// The subject; `None` for the caller.
    pub user: Option<String>,
    /// The groups of the subject; `None` for those that a source knows.
    pub groups: Option<Vec<String>>,
    /// The name of the reader entry to come through; `None` for a reader that nobody vouches for.
    pub reader: Option<String>,
    /// The capability header that the client would send.
    pub capabilities: Option<String>,
}

/// Names that the caller may see.
struct VisibleNames {
    policies: HashSet<String>,
    tags: HashSet<String>,
}

impl Operations {
    /// Explains the restrictions of a table.
    ///
    /// For another subject, or with groups that are stated, the caller must be able to apply every policy that takes
    /// part; for itself it sees only the names that it may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the table; [`OperationError::Forbidden`] as said; [`OperationError::Disabled`];
    /// what the provider and the store report. Restrictions that cannot be resolved are part of the explanation.
    pub async fn explain_restrictions(
        &self,
        call: &Call,
        path: Authorized<ExplainPath>,
        question: &ExplainQuestion,
    ) -> Result<Map<String, Value>, OperationError> {
        call.facts.require_in_use()?;
        let found = call.facts.found()?;
        found.row()?;
        let subject = subject(call, question);
        let governed = self.governed(call, found).await?;
        let facts = with_enabled(&governed.facts, &path.policies);
        let fields = self.fields_of_table(&found.metalake, &found.chain.rows).await?;
        let context = self.context(&subject, &governed.groups).await?;
        let input = ResolutionInput {
            subject: &context,
            fields: &fields,
            facts: Some(&facts),
        };
        let evaluated = evaluate(input, &CachedRules(self));
        let visible = self.visible_names(call).await?;
        if subject != call.caller.subject {
            check_may_tell(call, &evaluated, &visible)?;
        }
        let explanation = Explanation::new(evaluated);
        let mut told = Map::new();
        told.insert("table".to_owned(), json!(found.object.full_name()));
        told.insert(
            "subject".to_owned(),
            json!({
                "user": context.user,
                "groups": context.member_of,
                "groups-known": context.member_of.is_some(),
            }),
        );
        // Roles of groups count for access as they do for rules: by the groups that the explanation uses.
        let with_groups = Subject {
            user: subject.user.clone(),
            groups: context
                .member_of
                .clone()
                .map_or(GroupClaim::Unknown, GroupClaim::Known),
        };
        let roles = if subject == call.caller.subject {
            call.caller.active_roles.clone()
        } else {
            ActiveRoles::All
        };
        told.insert(
            "access".to_owned(),
            self.access(call, &with_groups, &roles).await?,
        );
        told.insert(
            "enforced".to_owned(),
            json!(self.settings().read_restrictions_enabled),
        );
        told.insert("previewed".to_owned(), json!(path.policies));
        told.insert(
            "unused-previews".to_owned(),
            json!(unused(&facts, &path.policies)),
        );
        told.insert(
            "admission".to_owned(),
            self.admission(question, &explanation).await?,
        );
        told.insert("revision".to_owned(), revision(call));
        let shows = |kind, name: &str| match kind {
            NameKind::Policy => visible.policies.contains(name),
            NameKind::Tag => visible.tags.contains(name),
        };
        if let Value::Object(members) = explanation.to_json(&fields, &shows) {
            told.extend(members);
        }
        Ok(told)
    }

    async fn visible_names(&self, call: &Call) -> Result<VisibleNames, OperationError> {
        let metalake = call.facts.metalake_id()?;
        let policies = self
            .visibility(call, Requirement::load(ObjectKind::Policy))
            .await?;
        let tags = self.visibility(call, Requirement::load(ObjectKind::Tag)).await?;
        let mut snapshot = self.store().snapshot().await?;
        let names = |children: Vec<lakeward_store::Child>, shown: &Visibility| {
            children
                .into_iter()
                .filter(|child| shown.shows(child.id, child.owner.as_ref()))
                .map(|child| child.name)
                .collect()
        };
        Ok(VisibleNames {
            policies: names(
                snapshot
                    .children(metalake, ObjectKind::Policy, &Page::ALL)
                    .await?,
                &policies,
            ),
            tags: names(
                snapshot.children(metalake, ObjectKind::Tag, &Page::ALL).await?,
                &tags,
            ),
        })
    }

    /// Whether the subject may load the table at all; a restriction never grants that.
    async fn access(
        &self,
        call: &Call,
        subject: &Subject,
        roles: &ActiveRoles,
    ) -> Result<Value, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let holdings = self
            .holdings(&mut snapshot, call.facts.metalake_id()?, subject)
            .await?;
        drop(snapshot);
        let grants = Grants::new(
            self.settings().mode,
            &holdings,
            roles,
            self.standing(&subject.user),
        )
        .map_err(|error| OperationError::Forbidden(error.to_string()))?;
        let target = Target::object(call.facts.found()?.chain.to_decide());
        Ok(
            match decide(Requirement::load(ObjectKind::Table), &target, &grants) {
                Decision::Allowed(_) => json!({ "allowed": true }),
                Decision::Refused(objection) => json!({ "allowed": false, "reason": objection.to_string() }),
            },
        )
    }

    /// What a client with these capabilities gets through this reader. Null when the question names neither.
    async fn admission(
        &self,
        question: &ExplainQuestion,
        explanation: &Explanation,
    ) -> Result<Value, OperationError> {
        if question.reader.is_none() && question.capabilities.is_none() {
            return Ok(Value::Null);
        }
        let capabilities = match &question.capabilities {
            None => Capabilities::parse(&[]),
            Some(header) => Capabilities::parse(&[header.as_bytes()]),
        };
        let mut trust = Trust::Untrusted;
        if let Some(name) = &question.reader {
            let mut snapshot = self.store().snapshot().await?;
            if let Some(reader) = snapshot.reader(name).await?.filter(|reader| reader.is_enabled) {
                trust = Trust::Trusted(TrustedReader {
                    name: reader.name,
                    revision: reader.revision,
                });
            }
        }
        Ok(match explanation.outcome() {
            Err(error) => json!({ "admitted": false, "status": if error.transient { 503 } else { 403 } }),
            Ok(resolution) => match check_admission(&resolution.restrictions, &capabilities, &trust) {
                Ok(()) => json!({ "admitted": true, "status": 200 }),
                Err(reason @ NotAdmitted::NotAcceptable) => {
                    json!({ "admitted": false, "status": 406, "reason": reason.to_string() })
                }
                Err(reason @ (NotAdmitted::UntrustedReader | NotAdmitted::Distrusted(_))) => {
                    json!({ "admitted": false, "status": 403, "reason": reason.to_string() })
                }
            },
        })
    }
}

/// The caller as it is authenticated, or whoever the question names.
fn subject(call: &Call, question: &ExplainQuestion) -> Subject {
    let own = &call.caller.subject;
    let user = question.user.as_ref().unwrap_or(&own.user);
    match &question.groups {
        Some(groups) => Subject {
            user: user.clone(),
            groups: GroupClaim::Known(groups.iter().cloned().collect()),
        },
        None if *user == own.user => own.clone(),
        // Only stored membership is known of others.
        None => Subject {
            user: user.clone(),
            groups: GroupClaim::Unknown,
        },
    }
}

/// The facts as if these policies were enabled.
fn with_enabled(facts: &Arc<GovernanceFacts>, policies: &[String]) -> GovernanceFacts {
    let mut facts = GovernanceFacts::clone(facts);
    for name in policies {
        if let Some(policy) = facts.policies.get_mut(name) {
            *policy = Arc::new(StoredPolicy {
                enabled: true,
                ..StoredPolicy::clone(policy)
            });
        }
    }
    facts
}

/// Previewed policies that are on no tag of the table, its ancestors or its columns.
fn unused<'a>(facts: &GovernanceFacts, policies: &'a [String]) -> Vec<&'a str> {
    policies
        .iter()
        .map(String::as_str)
        .filter(|name| !facts.policies.contains_key(*name))
        .collect()
}

/// What restricts another subject is told only to those who may apply all of it.
fn check_may_tell(
    call: &Call,
    evaluated: &Result<Evaluated, ResolutionError>,
    visible: &VisibleNames,
) -> Result<(), OperationError> {
    let everywhere = Requirement::Holds(&[Privilege::ApplyPolicy]);
    if let Decision::Allowed(_) = decide(&everywhere, call.facts.target(), call.facts.grants()) {
        return Ok(());
    }
    let taking_part: Vec<&str> = match evaluated {
        Err(error) => error.policies.iter().map(String::as_str).collect(),
        Ok(evaluated) => {
            let selection = &evaluated.selection;
            let masks = selection.masks.values().flatten();
            let selected = selection.row_filters.iter().chain(masks);
            selected.map(|selected| selected.policy.name.as_str()).collect()
        }
    };
    if !taking_part.is_empty()
        && taking_part
            .iter()
            .all(|policy| visible.policies.contains(*policy))
    {
        return Ok(());
    }
    Err(OperationError::Forbidden(
        "what restricts another subject is told only to those who may apply every policy that takes part"
            .to_owned(),
    ))
}

/// The counters of the state that the explanation is of.
fn revision(call: &Call) -> Value {
    match call.facts.revision() {
        None => Value::Null,
        Some(revision) => json!({
            "objects": revision.objects,
            "identities": revision.identities,
            "grants": revision.grants,
            "governance": revision.governance,
        }),
    }
}
