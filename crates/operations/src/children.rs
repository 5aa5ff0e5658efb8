// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists of the tree: what is directly below an object, kept under the counter of the area objects, and what of it a
//! caller may see: an intersection of sets, so that a list of what is kept costs what is shown of it.

use std::collections::HashMap;
use std::sync::Arc;

use lakeward_authorization::Visibility;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::Principal;
use lakeward_store::{ChainRow, Child, Page, Revision};

use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::namespace::{ListPage, Listed};

/// Under which the children of an object are kept.
pub(crate) type ChildrenKey = (ObjectId, ObjectKind, i64);

/// The children of one kind of one object, in the order of their names by bytes, and where each is found.
#[derive(Debug)]
pub(crate) struct Children {
    list: Vec<Child>,
    by_id: HashMap<ObjectId, usize>,
    by_owner: HashMap<Principal, Vec<usize>>,
}

impl Children {
    pub(crate) fn new(list: Vec<Child>) -> Self {
        let by_id = list
            .iter()
            .enumerate()
            .map(|(at, child)| (child.id, at))
            .collect();
        let mut by_owner: HashMap<Principal, Vec<usize>> = HashMap::new();
        for (at, child) in list.iter().enumerate() {
            if let Some(owner) = &child.owner {
                by_owner.entry(owner.clone()).or_default().push(at);
            }
        }
        Self {
            list,
            by_id,
            by_owner,
        }
    }

    /// All of them, in their order.
    pub(crate) fn all(&self) -> &[Child] {
        &self.list
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Those that may be shown, in their order, from `begin` on.
    pub(crate) fn shown<'a>(
        &'a self,
        shown: &'a Visibility,
        begin: usize,
    ) -> Box<dyn Iterator<Item = &'a Child> + 'a> {
        let shows = |child: &&Child| shown.shows(child.id, child.owner.as_ref());
        match self.candidates(shown) {
            None => Box::new(self.list.iter().skip(begin).filter(shows)),
            Some(candidates) => {
                let from = candidates.partition_point(|at| *at < begin);
                let children = candidates.into_iter().skip(from);
                Box::new(children.filter_map(|at| self.list.get(at)).filter(shows))
            }
        }
    }

    /// Where those are that may be shown; `None` when it is no less work to look at each.
    fn candidates(&self, shown: &Visibility) -> Option<Vec<usize>> {
        let candidates = shown.candidates()?;
        let granted: usize = candidates.ids.iter().map(|ids| ids.len()).sum();
        if granted >= self.list.len() {
            return None;
        }
        let granted = candidates
            .ids
            .into_iter()
            .flatten()
            .filter_map(|id| self.by_id.get(id));
        let owned = candidates
            .owners
            .iter()
            .filter_map(|owner| self.by_owner.get(owner))
            .flatten();
        let mut places: Vec<usize> = granted.chain(owned).copied().collect();
        places.sort_unstable();
        places.dedup();
        Some(places)
    }

    /// Where the names after `after` begin.
    fn after(&self, after: &str) -> usize {
        self.list.partition_point(|child| *child.name <= *after)
    }
}

impl Operations {
    /// The children of one kind of catalogs, schemas and tables, by name. For kinds of the area objects only: the
    /// counter of another area does not show when a role, tag or policy came or went.
    ///
    /// # Errors
    /// As [`Operations::read`].
    pub(crate) async fn children(
        &self,
        call: &Call,
        parent: ObjectId,
        kind: ObjectKind,
    ) -> Result<Arc<Children>, OperationError> {
        let cache = &self.caches().children;
        if let Some(revision) = call.facts.revision()
            && let Some(children) = cache.get(&(parent, kind, revision.objects))
        {
            return Ok(children);
        }
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.read_newest(&call.facts).await?;
        let revision = snapshot.revision(metalake).await?;
        let children = Arc::new(Children::new(snapshot.children(parent, kind, &Page::ALL).await?));
        cache.insert((parent, kind, revision.objects), Arc::clone(&children));
        same_objects(call, revision)?;
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
        Ok(children.shown(shown, 0).map(|child| child.name.clone()).collect())
    }

    /// The children of one kind in full that may be shown, by name, of any area: read anew, since they are not kept.
    ///
    /// # Errors
    /// As [`Operations::read`].
    pub(crate) async fn visible_in_full(
        &self,
        call: &Call,
        parent: ObjectId,
        kind: ObjectKind,
        shown: &Visibility,
    ) -> Result<Vec<ChainRow>, OperationError> {
        let mut snapshot = self.read(&call.facts).await?;
        let mut rows = snapshot.children_in_full(parent, kind, &Page::ALL).await?;
        rows.retain(|row| shown.shows(row.object.id, row.owner.as_ref()));
        Ok(rows)
    }

    /// The names of those.
    ///
    /// # Errors
    /// As [`Operations::read`].
    pub(crate) async fn visible_names_below(
        &self,
        call: &Call,
        parent: ObjectId,
        kind: ObjectKind,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let mut snapshot = self.read(&call.facts).await?;
        let mut children = snapshot.children(parent, kind, &Page::ALL).await?;
        children.retain(|child| shown.shows(child.id, child.owner.as_ref()));
        Ok(children.into_iter().map(|child| child.name).collect())
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
        let begin = page.after.as_ref().map_or(0, |after| children.after(after));
        // One more than wanted tells whether a next page exists.
        let wanted = page.limit.map_or(usize::MAX, |limit| limit.saturating_add(1));
        let mut names: Vec<String> = children
            .shown(shown, begin)
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

/// What is read of the area objects at a revision belongs to the decision, unless that area has moved on since; what else has
/// changed does not show in it.
pub(crate) fn same_objects(call: &Call, read: Revision) -> Result<(), OperationError> {
    match call.facts.revision() {
        Some(decided) if decided.objects == read.objects => Ok(()),
        Some(_) | None => Err(OperationError::Moved),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use lakeward_authorization::grants::{Grants, Holdings, Membership, Mode, Standing};
    use lakeward_authorization::{Chain, Node, Requirement};
    use lakeward_metadata::principal::PrincipalKind;

    use super::*;

    fn children(count: i64) -> Children {
        let owner = |id: i64| Principal {
            kind: if id % 3 == 0 {
                PrincipalKind::Group
            } else {
                PrincipalKind::User
            },
            name: if id % 2 == 0 { "ann" } else { "bob" }.to_owned(),
        };
        let child = |id: i64| Child {
            id: ObjectId::new(id),
            name: format!("t{id:03}"),
            owner: (id % 5 != 0).then(|| owner(id)),
        };
        Children::new((0..count).map(child).collect())
    }

    fn check(shown: &Visibility, begin: usize) {
        let children = children(60);
        let found: Vec<&str> = children
            .shown(shown, begin)
            .map(|child| child.name.as_str())
            .collect();
        let one_by_one: Vec<&str> = children
            .list
            .iter()
            .skip(begin)
            .filter(|child| shown.shows(child.id, child.owner.as_ref()))
            .map(|child| child.name.as_str())
            .collect();
        assert_eq!(found, one_by_one);
        assert!(!found.is_empty());
    }

    #[test]
    fn a_list_is_what_is_shown_one_by_one() {
        let some = |ids: &[i64]| ids.iter().copied().map(ObjectId::new).collect::<HashSet<_>>();
        for begin in [0, 7, 30] {
            check(
                &Visibility::of_memberships(Mode::Enforced, some(&[2, 31, 40, 999])),
                begin,
            );
            check(&Visibility::of_memberships(Mode::Off, some(&[])), begin);
            check(
                &Visibility::of_memberships(Mode::Enforced, (0..100).map(ObjectId::new).collect()),
                begin,
            );
        }
    }

    #[test]
    fn what_a_user_and_its_groups_own_is_shown() {
        let holdings = Holdings {
            user: "ann".to_owned(),
            membership: Membership::Member,
            groups: ["bob".to_owned()].into(),
            roles: Vec::new(),
            privileges: Vec::new(),
        };
        let grants = Grants::new(
            Mode::Enforced,
            &holdings,
            &Default::default(),
            Standing::default(),
        )
        .unwrap();
        let metalake = Node {
            id: ObjectId::new(1_000),
            kind: ObjectKind::Metalake,
            owner: None,
        };
        let parent = Chain::found(ObjectKind::Metalake, vec![metalake]);
        let shown = Visibility::new(&Requirement::Owner(ObjectKind::Tag), &grants, &parent);
        assert!(shown.candidates().is_some());
        check(&shown, 0);
        check(&shown, 11);
    }
}
