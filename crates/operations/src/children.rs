// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists of the tree: what is directly below an object, kept under the counter of the area objects, and what of it a
//! caller may see, as one pass over a set.

use std::sync::Arc;

use lakeward_authorization::Visibility;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_store::{Child, Page};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::namespace::{ListPage, Listed};

/// Under which the children of an object are kept.
pub(crate) type ChildrenKey = (ObjectId, ObjectKind, i64);

impl Operations {
    /// The children of one kind of catalogs, schemas and tables, by name. For kinds of the area objects only: the
    /// counter of another area does not show when a role, tag or policy came or went.
    ///
    /// # Errors
    /// [`OperationError::Unavailable`] or [`OperationError::Internal`] from the store.
    pub(crate) async fn children(
        &self,
        call: &Call,
        parent: ObjectId,
        kind: ObjectKind,
    ) -> Result<Arc<Vec<Child>>, OperationError> {
        let cache = &self.caches().children;
        if let Some(revision) = call.facts.revision()
            && let Some(children) = cache.get(&(parent, kind, revision.objects))
        {
            return Ok(children);
        }
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.store().snapshot().await?;
        let revision = snapshot.revision(metalake).await?;
        let children = Arc::new(snapshot.children(parent, kind, &Page::ALL).await?);
        cache.insert((parent, kind, revision.objects), Arc::clone(&children));
        Ok(children)
    }

    /// The names of those children that the caller may see.
    ///
    /// # Errors
    /// As [`Operations::children`].
    pub(crate) async fn visible_children(
        &self,
        call: &Call,
        parent: ObjectId,
        kind: ObjectKind,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let children = self.children(call, parent, kind).await?;
        Ok(children
            .iter()
            .filter(|child| shown.shows(child.id, child.owner.as_ref()))
            .map(|child| child.name.clone())
            .collect())
    }

    /// A page of those names. Pages are full, and what is hidden costs a look-up in a set, nothing more.
    ///
    /// # Errors
    /// As [`Operations::children`].
    pub(crate) async fn visible_page(
        &self,
        call: &Call,
        parent: ObjectId,
        kind: ObjectKind,
        shown: &Visibility,
        page: &ListPage,
    ) -> Result<Listed, OperationError> {
        let children = self.children(call, parent, kind).await?;
        // They are in the order of names by bytes, as texts compare here.
        let begin = match &page.after {
            Some(after) => children.partition_point(|child| child.name <= *after),
            None => 0,
        };
        // One more than wanted tells whether a next page exists.
        let wanted = page.limit.map_or(usize::MAX, |limit| limit.saturating_add(1));
        let mut names: Vec<String> = children
            .iter()
            .skip(begin)
            .filter(|child| shown.shows(child.id, child.owner.as_ref()))
            .take(wanted)
            .map(|child| child.name.clone())
            .collect();
        let mut next = None;
        if let Some(limit) = page.limit.filter(|limit| names.len() > *limit) {
            names.truncate(limit);
            next = names.last().cloned();
        }
        Ok(Listed { names, next })
    }
}
