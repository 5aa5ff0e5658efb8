// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Drafts of policies in requests become checked drafts: one that does not parse or type-check is refused with line,
//! column and cause.

use lakeward_governance::policy::PolicyType;
use lakeward_governance::preview::Draft;
use lakeward_governance::selector::Selector;
use lakeward_gravitino_api::draft::DraftPolicy;
use lakeward_operations::OperationError;

/// Checks drafts.
///
/// # Errors
/// [`OperationError::Invalid`] naming the draft, and what is wrong where.
pub(super) fn checked(drafts: Vec<DraftPolicy>) -> Result<Vec<Draft>, OperationError> {
    drafts.into_iter().map(draft).collect()
}

fn draft(draft: DraftPolicy) -> Result<Draft, OperationError> {
    let name = &draft.name;
    let refused = |cause: &dyn std::fmt::Display| OperationError::invalid(format!("draft `{name}`: {cause}"));
    let policy_type: PolicyType = draft.policy_type.parse().map_err(|error| refused(&error))?;
    if !policy_type.is_restriction() {
        return Err(refused(&format_args!(
            "a policy of type `{policy_type}` restricts no reader, so there is nothing to preview"
        )));
    }
    let tags = draft
        .tags
        .into_iter()
        .map(|(tag, value)| (tag, value.map_or(Selector::AllValues, Selector::TagValue)))
        .collect();
    Draft::parse(name.clone(), policy_type, &draft.content.to_string(), tags)
        .map_err(|error| refused(&format_args!("{error} [{}]", error.code())))
}
