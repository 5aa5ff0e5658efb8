// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Names that the caller may see, for answers that speak of policies and tags.

use std::collections::HashSet;

use lakeward_authorization::{Privilege, Requirement, Visibility};
use lakeward_governance::explain::NameKind;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Page, Snapshot};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;

/// What showing a user takes, as in the list of users.
const SHOWS_USER: Requirement =
    Requirement::Any(&[Requirement::Holds(&[Privilege::ManageUsers]), Requirement::Named]);
/// What showing a group takes, as in the list of groups.
const SHOWS_GROUP: Requirement =
    Requirement::Any(&[Requirement::Holds(&[Privilege::ManageGroups]), Requirement::Named]);

/// The users and groups that the caller may be told of.
#[derive(Debug)]
pub(crate) struct ShownPrincipals {
    pub(crate) users: Visibility,
    pub(crate) groups: Visibility,
}

/// Names of policies and tags.
#[derive(Debug)]
pub(crate) struct VisibleNames {
    pub(crate) policies: HashSet<String>,
    pub(crate) tags: HashSet<String>,
}

impl VisibleNames {
    /// Whether a name may be shown.
    pub(crate) fn shows(&self, kind: NameKind, name: &str) -> bool {
        match kind {
            NameKind::Policy => self.policies.contains(name),
            NameKind::Tag => self.tags.contains(name),
        }
    }
}

impl Operations {
    /// The users and groups that the caller may be told of, as in their lists.
    pub(crate) async fn shown_principals(&self, call: &Call) -> Result<ShownPrincipals, OperationError> {
        Ok(ShownPrincipals {
            users: self.visibility(call, &SHOWS_USER).await?,
            groups: self.visibility(call, &SHOWS_GROUP).await?,
        })
    }

    /// What of the metalake's policies and tags in a snapshot the caller may see; `drafts` are its own.
    pub(crate) async fn visible_names<'a>(
        &self,
        call: &Call,
        snapshot: &mut Snapshot,
        drafts: impl IntoIterator<Item = &'a str>,
    ) -> Result<VisibleNames, OperationError> {
        let metalake = call.facts.metalake_id()?;
        let policies = self
            .visibility(call, Requirement::load(ObjectKind::Policy))
            .await?;
        let tags = self.visibility(call, Requirement::load(ObjectKind::Tag)).await?;
        let names = |children: Vec<lakeward_store::Child>, shown: &Visibility| {
            children
                .into_iter()
                .filter(|child| shown.shows(child.id, child.owner.as_ref()))
                .map(|child| child.name)
                .collect()
        };
        let mut visible = VisibleNames {
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
        };
        visible.policies.extend(drafts.into_iter().map(str::to_owned));
        Ok(visible)
    }
}
