// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a policy, a tag or the assignment of a tag reaches, where loads would fail, who could lift it, and which readers
//! there are to serve it.

pub(crate) mod inspect;
mod lifting;

use std::collections::BTreeSet;

use lakeward_authorization::Authorized;
use lakeward_governance::impact::{Failure, Focus, POSSIBLE_CONFLICT};
use lakeward_governance::preview::{Draft, IntendedAssignment, Preview};
use lakeward_governance::resolve::PolicyOnTag;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_read_restrictions::code::RestrictionCode;
use lakeward_store::{ChainRow, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::explain::{VisibleNames, instruments};
use crate::facts::Found;
use crate::governed_facts::{levels, selector, stored_policy};
use crate::named::{Named, NamedWhat, Names};
use crate::preview::StandIns;
use crate::tag::{allowed_values, invalid};

use inspect::{Inspected, InspectedTable, Inspection};
pub use lifting::{Lifting, LiftingPrincipal};

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImpactOf {
    /// A policy, stored or a draft.
    Policy(String),
    /// A tag, wherever it is.
    Tag(String),
    /// A tag on one object.
    Assignment {
        /// The tag.
        tag: String,
        /// The object.
        object: MetadataObject,
        /// The values of an intended assignment; `None` for the one that there is.
        values: Option<Vec<String>>,
    },
}

/// What a question names. Policy and tags must be the caller's to apply, the object within its reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImpactPath {
    /// The metalake.
    pub metalake: String,
    /// What is asked; `None` when the request does not say.
    pub of: Option<ImpactOf>,
    /// The names of the drafts. They need not be stored, so they are authorized by themselves.
    pub drafts: Vec<String>,
    /// The tags of the drafts.
    pub tags: Vec<String>,
}

impl Names for ImpactPath {
    fn named(&self) -> Named {
        let mut object = MetadataObject {
            kind: ObjectKind::Metalake,
            path: vec![self.metalake.clone()],
        };
        let mut policies = Vec::new();
        let mut tags: BTreeSet<String> = self.tags.iter().cloned().collect();
        match &self.of {
            Some(ImpactOf::Policy(policy)) if !self.drafts.contains(policy) => policies.push(policy.clone()),
            Some(ImpactOf::Policy(_)) | None => {}
            Some(ImpactOf::Tag(tag)) => drop(tags.insert(tag.clone())),
            Some(ImpactOf::Assignment { tag, object: on, .. }) => {
                tags.insert(tag.clone());
                object = on.clone();
            }
        }
        let tags: Vec<String> = tags.into_iter().collect();
        Named::of(
            &self.metalake,
            NamedWhat::Instruments {
                object,
                instruments: instruments(&self.metalake, &policies, &tags),
            },
        )
    }
}

/// The answer.
#[derive(Debug)]
pub struct Impact {
    /// The tables that it reaches and that the caller has access to, by full name.
    pub tables: Vec<ImpactOnTable>,
    /// How many more it reaches.
    pub hidden_tables: usize,
    /// Whether there are more tables than one answer examines.
    pub is_truncated: bool,
    /// Who could lift it.
    pub lifting: Vec<Lifting>,
    /// How many more could, whose names the caller may not see.
    pub hidden_lifting: usize,
    /// The readers.
    pub readers: Vec<ImpactReader>,
}

/// What it does to one table.
#[derive(Debug)]
pub struct ImpactOnTable {
    /// The full name.
    pub table: String,
    /// The columns that it masks or, for a tag, is on.
    pub columns: Vec<String>,
    /// The policies that take part; `None` for one that the caller may not see.
    pub policies: Vec<Option<String>>,
    /// Whether it filters rows.
    pub row_filter: bool,
    /// Why loads would fail, the most certain first.
    pub failures: Vec<Failure>,
    /// Whether the schema could be read.
    pub is_checked: bool,
}

/// A reader.
#[derive(Debug)]
pub struct ImpactReader {
    /// Its name; `None` for a caller who is no operator.
    pub name: Option<String>,
    /// How it is known.
    pub kind: &'static str,
    /// Whether it is trusted now.
    pub is_enabled: bool,
    /// When it was last served a restricted table, in epoch milliseconds.
    pub last_load_at: Option<i64>,
}

impl Operations {
    /// What a policy, a tag or an assignment does.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the policy, a tag or the object; [`OperationError::Forbidden`] for drafts that
    /// are not the caller's to make; [`OperationError::Invalid`] for values that the tag does not allow and kinds that
    /// take no tags; [`OperationError::Disabled`]; what the store reports.
    pub async fn impact(
        &self,
        call: &Call,
        path: Authorized<ImpactPath>,
        drafts: Vec<Draft>,
    ) -> Result<Impact, OperationError> {
        let stand_ins = self.authorize_drafts(call, &drafts).await?;
        call.facts.require_metalake_in_use()?;
        self.check_selectors(call, &drafts)?;
        let path = path.into_inner();
        let of = path
            .of
            .ok_or_else(|| OperationError::internal("a question without a subject was authorized"))?;
        let mut reading = self.read(&call.facts).await?;
        let draft_names = drafts.iter().map(|draft| draft.name.as_str());
        let visible = self.visible_names(call, &mut reading, draft_names).await?;
        drop(reading);
        let mut preview = Preview {
            drafts,
            ..Preview::default()
        };
        let mut snapshot = self.read(&call.facts).await?;
        let (focus, roots) = match of {
            ImpactOf::Policy(policy) => {
                let roots = roots_of_policy(call, &mut snapshot, &policy, &preview, &stand_ins).await?;
                preview.enabled.insert(policy.clone());
                (Focus::Policy(policy), roots)
            }
            ImpactOf::Tag(tag) => {
                let roots = tagged(&mut snapshot, tag_row(call, &tag)?.object.id).await?;
                let focus = Focus::Tag {
                    tag,
                    assigned_on: None,
                };
                (focus, roots)
            }
            ImpactOf::Assignment { tag, values, .. } => {
                drop(snapshot);
                let (object, root) = self.site_of_assignment(call).await?;
                snapshot = self.read(&call.facts).await?;
                if let Some(values) = values {
                    let row = tag_row(call, &tag)?.clone();
                    assigning(&mut snapshot, &row, object.clone(), values, &mut preview).await?;
                }
                let focus = Focus::Tag {
                    tag,
                    assigned_on: Some(object),
                };
                (focus, vec![root])
            }
        };
        drop(snapshot);
        let inspected = self
            .inspect(
                call,
                self.read(&call.facts).await?,
                &Inspection {
                    focus,
                    preview,
                    roots,
                    stand_ins,
                    is_hidden: &|policy| !visible.policies.contains(policy),
                    examines_hidden: false,
                },
            )
            .await?;
        let (lifting, hidden_lifting) = self.lifting(call, &inspected, &visible).await?;
        Ok(Impact {
            readers: self.impact_readers(call).await?,
            lifting,
            hidden_lifting,
            hidden_tables: inspected.hidden,
            is_truncated: inspected.is_truncated,
            tables: tables(inspected, &visible),
        })
    }

    /// Where the tag of this request is or would be assigned: the object as facts name it, and its row or, for a
    /// column, that of its table.
    async fn site_of_assignment(&self, call: &Call) -> Result<(MetadataObject, ObjectId), OperationError> {
        let found = call.facts.found()?;
        if !found.object.kind.is_taggable() {
            return Err(OperationError::invalid(format!(
                "tags cannot be assigned to a {}",
                found.object.kind.lower_case().replace('_', " ")
            )));
        }
        let row = found.row()?.object.id;
        let field = if found.object.kind == ObjectKind::Column {
            Some(self.field_named(call, found).await?)
        } else {
            None
        };
        Ok((self.as_in_facts(found, field), row))
    }

    /// The object of a chain as facts name it; a column by field id.
    pub(crate) fn as_in_facts(&self, found: &Found, field: Option<i32>) -> MetadataObject {
        let object = levels(&found.chain.rows, self.store().schema_separator())
            .pop()
            .unwrap_or_else(|| found.object.clone());
        match field {
            None => object,
            Some(field) => {
                let mut path = object.path;
                path.push(field.to_string());
                MetadataObject {
                    kind: ObjectKind::Column,
                    path,
                }
            }
        }
    }

    /// The readers that can be served what is restricted. Their names are for operators.
    async fn impact_readers(&self, call: &Call) -> Result<Vec<ImpactReader>, OperationError> {
        let mut snapshot = self.store().snapshot().await?;
        let readers = snapshot.readers().await?;
        Ok(readers
            .into_iter()
            .map(|reader| ImpactReader {
                name: call.caller.standing.operator.then_some(reader.name),
                kind: reader.channel.as_str(),
                is_enabled: reader.is_enabled,
                last_load_at: reader.last_load_at,
            })
            .collect())
    }
}

/// The tag of this request; it exists.
fn tag_row<'a>(call: &'a Call, tag: &str) -> Result<&'a ChainRow, OperationError> {
    let found = call
        .facts
        .instruments()
        .iter()
        .find(|found| found.object.kind == ObjectKind::Tag && found.object.path == [tag]);
    found
        .ok_or_else(|| OperationError::internal("the tag of the question was not authorized"))?
        .row()
}

/// The objects that a tag is on.
pub(crate) async fn tagged(snapshot: &mut Snapshot, tag: ObjectId) -> Result<Vec<ObjectId>, OperationError> {
    let objects = snapshot.tagged_objects(tag).await?;
    Ok(objects.into_iter().map(|object| object.id).collect())
}

/// The objects that the tags of a policy are on: those of the stored one, and those of a draft.
async fn roots_of_policy(
    call: &Call,
    snapshot: &mut Snapshot,
    policy: &str,
    preview: &Preview,
    stand_ins: &StandIns,
) -> Result<Vec<ObjectId>, OperationError> {
    let draft = preview.draft(policy);
    let stored = match draft {
        Some(_) => stand_ins.stored(policy),
        None => {
            let found = call
                .facts
                .instruments()
                .iter()
                .find(|found| found.object.kind == ObjectKind::Policy && found.object.path == [policy]);
            let found =
                found.ok_or_else(|| OperationError::not_found(ObjectKind::Policy, policy.to_owned()))?;
            Some(found.row()?.object.id)
        }
    };
    let mut roots = Vec::new();
    if let Some(stored) = stored {
        for on_tag in snapshot.tags_of_policy(stored).await? {
            roots.extend(tagged(snapshot, on_tag.tag_id).await?);
        }
    }
    for (tag, _) in draft.iter().flat_map(|draft| &draft.tags) {
        roots.extend(tagged(snapshot, tag_row(call, tag)?.object.id).await?);
    }
    Ok(roots)
}

/// Adds an assignment to a preview, with the policies on its tag, which facts may lack where the tag is not yet.
///
/// # Errors
/// [`OperationError::Invalid`] for a value that the tag does not allow; what the store reports.
pub(crate) async fn assigning(
    snapshot: &mut Snapshot,
    tag: &ChainRow,
    object: MetadataObject,
    values: Vec<String>,
    preview: &mut Preview,
) -> Result<(), OperationError> {
    let name = &tag.object.name;
    let allowed = allowed_values(&tag.object)?;
    if values.is_empty() {
        allowed.check(name, None).map_err(invalid)?;
    }
    for value in &values {
        allowed.check(name, Some(value)).map_err(invalid)?;
    }
    for on_tag in snapshot.policies_of_tag(tag.object.id).await? {
        let Some(row) = snapshot.policy(on_tag.policy_id).await? else {
            continue;
        };
        preview.policies.extend(stored_policy(
            on_tag.policy_id,
            &row.object.object.name,
            &row.state,
        ));
        preview.associations.push(PolicyOnTag {
            tag: name.clone(),
            policy: row.object.object.name,
            selector: selector(&on_tag.selector),
        });
    }
    preview.assignment = Some(IntendedAssignment {
        object,
        tag: name.clone(),
        values,
    });
    Ok(())
}

fn tables(inspected: Inspected, visible: &VisibleNames) -> Vec<ImpactOnTable> {
    let shown = |name: String| visible.policies.contains(&name).then_some(name);
    inspected
        .tables
        .into_iter()
        .map(|InspectedTable { object, impact, .. }| {
            let is_checked = impact.is_some();
            let impact = impact.unwrap_or_default();
            ImpactOnTable {
                table: object.full_name(),
                columns: impact.columns,
                policies: impact.policies.into_iter().map(shown).collect(),
                row_filter: impact.row_filter,
                failures: impact
                    .failures
                    .into_iter()
                    .map(|failure| told(failure, visible))
                    .collect(),
                is_checked,
            }
        })
        .collect()
}

/// A failure as it may be told. One that speaks of a policy that the caller may not see has no detail, and a conflict
/// with such a policy is a possible one whatever it is, so that nobody finds out by trying what the other one says.
pub(crate) fn told(failure: Failure, visible: &VisibleNames) -> Failure {
    let of_visible = failure
        .policies
        .iter()
        .all(|policy| visible.policies.contains(policy));
    if of_visible && !failure.policies.is_empty() {
        return failure;
    }
    let conflicts = failure.code == RestrictionCode::Conflict.as_str() || failure.code == POSSIBLE_CONFLICT;
    Failure {
        detail: String::new(),
        code: if conflicts {
            POSSIBLE_CONFLICT
        } else {
            failure.code
        },
        is_certain: failure.is_certain && !conflicts,
        ..failure
    }
}
