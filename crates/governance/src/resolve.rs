// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which restrictions apply to a table for one subject (section 12): select, bind, deduplicate, find conflicts.

mod combination;
mod error;
mod selection;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use lakeward_metadata::object::MetadataObject;
use lakeward_policy_language::{Outcome, Rule, SubjectContext};
use lakeward_read_restrictions::action::MaskAction;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::predicate::Predicate;
use lakeward_read_restrictions::restrictions::ReadRestrictions;
use serde_json::{Map, Value, json};

use crate::effective_tag::TaggedObject;
use crate::policy::StoredPolicy;
use crate::policy_content::{ContentError, ExpressionContent};
use crate::selector::{Selector, UnknownSelector};

pub use combination::{Evaluated, evaluate, resolve};
pub use error::ResolutionError;
pub use selection::{NotSelected, Reason, Selected, Selection, select};

/// A policy on a tag. A selector that is not understood is kept, because it fails every resolution that meets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyOnTag {
    /// The tag's name.
    pub tag: String,
    /// The policy's name.
    pub policy: String,
    /// Which assignments select the policy.
    pub selector: Result<Selector, UnknownSelector>,
}

/// What the store says about one table, all from one snapshot.
#[derive(Debug, Clone, Default)]
pub struct GovernanceFacts {
    /// Tags of the table, then of its ancestors upwards to the metalake.
    pub levels: Vec<TaggedObject>,
    /// Tags of the table's columns by field id; columns without tags need no entry.
    pub columns: BTreeMap<i32, TaggedObject>,
    /// Policies on the tags above (others do no harm).
    pub associations: Vec<PolicyOnTag>,
    /// The policies of these associations by name; a missing one fails the resolutions that select it.
    pub policies: HashMap<String, Arc<StoredPolicy>>,
}

impl GovernanceFacts {
    /// Fields that stand for those of the table where its schema is not known: every column with tags of its own, also
    /// of one that was dropped, and one that has only what the table has. For selection; nothing can be bound to them.
    pub fn stand_in_fields(&self) -> Vec<Field> {
        let ids = self.columns.keys().copied().chain([0]);
        ids.map(|id| Field {
            id,
            name: String::new(),
            field_type: FieldType::Unknown,
            required: false,
        })
        .collect()
    }
}

/// Everything a resolution looks at.
#[derive(Debug, Clone, Copy)]
pub struct ResolutionInput<'request> {
    /// Who asks.
    pub subject: &'request SubjectContext,
    /// The top-level fields of the schema that will be returned.
    pub fields: &'request [Field],
    /// The facts; `None` when they could not be loaded, which fails the resolution.
    pub facts: Option<&'request GovernanceFacts>,
}

/// Where parsed rules come from, so that a server parses each policy revision once.
pub trait RuleSource {
    /// The rule of a restriction policy, or why its content is none.
    ///
    /// # Errors
    /// [`ContentError`], the same on every call for one revision.
    fn rule(&self, policy: &StoredPolicy) -> Result<Arc<Rule>, ContentError>;
}

/// Parses every time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uncached;

impl RuleSource for Uncached {
    fn rule(&self, policy: &StoredPolicy) -> Result<Arc<Rule>, ContentError> {
        Ok(ExpressionContent::parse(policy.policy_type, &policy.content)?.rule)
    }
}

/// The restrictions of one table for one subject, and where they came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// What a reader must enforce.
    pub restrictions: ReadRestrictions,
    /// Which policies gave it.
    pub provenance: Provenance,
    /// Policies whose filter is constant true for this subject and therefore not sent, by name.
    pub omitted: Vec<String>,
}

/// The policies behind the restrictions; all of those that gave an equal restriction are kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Provenance {
    /// Contributions to the row filter, by policy name.
    pub row_filter: Vec<Contribution<Predicate>>,
    /// Contributions to each mask, by field id and policy name.
    pub columns: BTreeMap<i32, Vec<Contribution<MaskAction>>>,
}

/// One policy's part.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution<T> {
    /// The policy's name.
    pub policy: String,
    /// Its revision.
    pub revision: i64,
    /// The tags that selected it, by name; at least one.
    pub tags: Vec<SelectingTag>,
    /// The canonical predicate or the selected action.
    pub value: T,
    /// What became of each branch of the rule.
    pub branches: Vec<Outcome>,
    /// The signature of the restriction.
    pub signature: String,
}

/// A tag that selected a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectingTag {
    /// The tag's name.
    pub tag: String,
    /// The object whose assignment is the nearest.
    pub assigned_on: MetadataObject,
    /// The values of that assignment.
    pub values: Vec<String>,
    /// The selector that they fulfil.
    pub selector: Selector,
}

impl Resolution {
    /// Nothing is restricted and nothing was selected.
    pub fn unrestricted() -> Self {
        Self {
            restrictions: ReadRestrictions::none(),
            provenance: Provenance::default(),
            omitted: Vec::new(),
        }
    }

    /// The short form of the conformance fixtures: `restrictions` (null when none), `provenance` as policies with
    /// their tags, `omitted`.
    pub fn to_json(&self) -> Value {
        let restrictions = if self.restrictions.is_active() {
            self.restrictions.to_json()
        } else {
            Value::Null
        };
        let columns: Map<String, Value> = self
            .provenance
            .columns
            .iter()
            .map(|(field, contributions)| (field.to_string(), short(contributions)))
            .collect();
        json!({
            "restrictions": restrictions,
            "provenance": { "row-filter": short(&self.provenance.row_filter), "columns": columns },
            "omitted": self.omitted,
        })
    }
}

fn short<T>(contributions: &[Contribution<T>]) -> Value {
    contributions
        .iter()
        .map(|contribution| {
            let tags: Vec<&str> = contribution.tags.iter().map(|tag| tag.tag.as_str()).collect();
            json!({ "policy": contribution.policy, "tags": tags })
        })
        .collect()
}
