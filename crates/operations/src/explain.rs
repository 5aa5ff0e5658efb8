// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why a table is restricted for a subject: for the subject itself, and for those who write policies.
//!
//! The same evaluation as of a load, told in full. Nothing is guessed: groups that no source knows are unknown, and a
//! rule that asks for one says so.

mod admission;
mod names;
mod subject;

use std::collections::BTreeSet;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::decide::{Decision, decide};
use lakeward_authorization::{Authorized, Chain, Grants, Privilege, Requirement, Target};
use lakeward_governance::explain::Explanation;
use lakeward_governance::preview::{Draft, Preview};
use lakeward_governance::resolve::{Evaluated, ResolutionError, ResolutionInput, evaluate};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::Subject;
use lakeward_store::Revision;
use serde_json::{Map, Value, json};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::named::{Named, NamedWhat, Names};
use crate::paths::ObjectPath;
use crate::restrictions::CachedRules;

pub(crate) use names::{ShownPrincipals, VisibleNames};
pub(crate) use subject::{About, Explained};

/// A table to explain, and what to use on it: policies to treat as if they were enabled, tags that drafts are put on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainPath {
    /// The table.
    pub table: ObjectPath,
    /// The policies by name.
    pub policies: Vec<String>,
    /// The tags of drafts by name.
    pub tags: Vec<String>,
}

impl Names for ExplainPath {
    fn named(&self) -> Named {
        Named::of(
            &self.table.metalake,
            NamedWhat::Instruments {
                object: self.table.object.clone(),
                instruments: instruments(&self.table.metalake, &self.policies, &self.tags),
            },
        )
    }
}

/// Policies and tags as what a request uses on an object.
pub(crate) fn instruments(metalake: &str, policies: &[String], tags: &[String]) -> Vec<MetadataObject> {
    let of_kind = |kind| move |name: &String| ObjectPath::top(metalake, kind, name).object;
    policies
        .iter()
        .map(of_kind(ObjectKind::Policy))
        .chain(tags.iter().map(of_kind(ObjectKind::Tag)))
        .collect()
}

/// For whom, and through which reader.
#[derive(Debug, Clone, Default)]
pub struct ExplainQuestion {
    /// The subject; `None` for the caller.
    pub user: Option<String>,
    /// The groups of the subject; `None` for those that a source knows.
    pub groups: Option<Vec<String>>,
    /// The name of the reader entry to come through; `None` for a reader that nobody vouches for.
    pub reader: Option<String>,
    /// The capability header that the client would send.
    pub capabilities: Option<String>,
    /// Policies that are not stored, to treat as if they were.
    pub drafts: Vec<Draft>,
}

impl Operations {
    /// Explains the restrictions of a table.
    ///
    /// For another subject, or with groups that are stated, the caller must be able to apply every policy that takes
    /// part; for itself it sees only the names that it may see. Drafts take what storing them would take.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the table and for tags of drafts; [`OperationError::Forbidden`] as said;
    /// [`OperationError::Invalid`] for a draft whose selector can never match; [`OperationError::Disabled`]; what the
    /// provider and the store report. Restrictions that cannot be resolved are part of the explanation.
    pub async fn explain_restrictions(
        &self,
        call: &Call,
        path: Authorized<ExplainPath>,
        question: &ExplainQuestion,
    ) -> Result<Map<String, Value>, OperationError> {
        let drafts = &question.drafts;
        let stand_ins = self.authorize_drafts(call, drafts).await?;
        call.facts.require_in_use()?;
        let found = call.facts.found()?;
        found.row()?;
        self.check_selectors(call, drafts)?;
        let governed = self.governed(call, found).await?;
        stand_ins.check(drafts, &governed.facts)?;
        let preview = Preview {
            enabled: path.policies.iter().cloned().collect(),
            drafts: drafts.clone(),
            ..Preview::default()
        };
        let facts = preview.apply(&governed.facts);
        let fields = self.fields_named(call, found).await?;
        let about = About {
            user: question.user.as_deref(),
            groups: question.groups.as_deref(),
        };
        let explained = self.explained(call, about, &governed.groups).await?;
        let input = ResolutionInput {
            subject: &explained.context,
            fields: &fields,
            facts: Some(&facts),
        };
        let evaluated = evaluate(input, &preview.rules(&CachedRules(self)));
        let draft_names = || drafts.iter().map(|draft| draft.name.as_str());
        let mut snapshot = self.read(&call.facts).await?;
        let visible = self.visible_names(call, &mut snapshot, draft_names()).await?;
        drop(snapshot);
        let is_caller = explained.subject == call.caller.subject;
        if !is_caller {
            check_may_tell(call, &evaluated, &visible)?;
        }
        let explanation = Explanation::new(evaluated);
        let mut told = Map::new();
        let mut tell = |member: &str, value: Value| drop(told.insert(member.to_owned(), value));
        tell("table", json!(found.object.full_name()));
        let shown = self.shown_principals(call).await?;
        tell("subject", explained.to_json(call, &shown));
        let roles = if is_caller {
            call.caller.active_roles.clone()
        } else {
            ActiveRoles::All
        };
        // Roles of groups count for access as they do for rules: by the groups that the explanation uses.
        let access = self.access(call, &explained.with_groups(), &roles).await?;
        tell("access", access);
        tell("enforced", json!(self.settings().read_restrictions_enabled));
        tell("previewed", json!(path.policies));
        tell("drafts", draft_names().collect());
        let previewed = || path.policies.iter().map(String::as_str).chain(draft_names());
        // Each once: a draft may be named as a policy too.
        let named: BTreeSet<&str> = previewed().collect();
        tell("unused-previews", json!(preview.unused(&facts, named)));
        let admission = self.admission(call, question, &explanation).await?;
        tell("admission", admission);
        tell("revision", counters(call, call.facts.revision().as_ref()));
        if let Value::Object(members) = explanation.to_json(&fields, &|kind, name| visible.shows(kind, name))
        {
            told.extend(members);
        }
        Ok(told)
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

/// The counters of the state that an explanation is of, for those who may see the grants of the metalake. To others they
/// would tell when somebody else's access was changed.
pub(crate) fn counters(call: &Call, revision: Option<&Revision>) -> Value {
    let metalake = call.facts.found().ok().and_then(|found| found.chain.rows.first());
    let (Some(revision), Some(metalake)) = (revision, metalake) else {
        return Value::Null;
    };
    let metalake = Target::object(Chain::found(ObjectKind::Metalake, vec![metalake.node()]));
    if !decide(&Requirement::ManageGrants, &metalake, call.facts.grants()).is_allowed() {
        return Value::Null;
    }
    json!({
        "objects": revision.objects,
        "identities": revision.identities,
        "grants": revision.grants,
        "governance": revision.governance,
    })
}
