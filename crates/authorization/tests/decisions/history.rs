// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What happens to a metalake over time: objects, roles, denials, owners and groups come, move and go. A step that makes
//! no sense where it comes (a parent that cannot have such a child) changes nothing.

use lakeward_authorization::{Condition, Privilege};
use lakeward_metadata::kind::ObjectKind::{self, Catalog, Metalake, Role, Schema, Table, Tag};
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::model::{Lake, Said, Thing};

/// One thing that happens. Numbers choose among what there is, whatever there is.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Create {
        kind: ObjectKind,
        parent: usize,
    },
    Drop(usize),
    Rename(usize),
    /// Into another schema.
    Move {
        leaf: usize,
        schema: usize,
    },
    SetOwner {
        of: usize,
        owner: usize,
    },
    Say {
        role: usize,
        condition: Condition,
        privilege: Privilege,
        on: usize,
    },
    Unsay(usize),
    GiveRole {
        role: usize,
        holder: usize,
    },
    TakeRole(usize),
    Join {
        user: usize,
        group: usize,
    },
    Leave {
        user: usize,
        group: usize,
    },
    Enable(usize, bool),
}

/// What a step did, where it did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Done {
    Created(usize),
    Dropped(usize),
    Renamed(usize),
    Moved(usize),
    Owned(usize),
    Said(Said),
    Unsaid(Said),
    Given(usize, Principal),
    Taken(usize, Principal),
    Joined { user: String, group: String },
    Left { user: String, group: String },
    Enabled(String, bool),
}

impl Lake {
    /// A metalake with these users and groups, owned by the first user.
    pub(crate) fn new(users: &[&str], groups: &[&str]) -> Self {
        let owner = Principal {
            kind: PrincipalKind::User,
            name: users[0].to_owned(),
        };
        let mut lake = Self::default();
        lake.users
            .extend(users.iter().map(|user| ((*user).to_owned(), true)));
        lake.groups.extend(
            groups
                .iter()
                .map(|group| ((*group).to_owned(), Default::default())),
        );
        lake.things.push(Thing {
            kind: Metalake,
            name: "m".to_owned(),
            parent: None,
            owner: Some(owner),
            exists: true,
        });
        lake
    }

    /// Takes a step; `None` when it makes no sense now.
    pub(crate) fn take(&mut self, step: &Step) -> Option<Done> {
        match step {
            Step::Create { kind, parent } => {
                let parents = self.living(|above| can_be_in(*kind, above));
                let parent = pick(&parents, *parent)?;
                let number = self.things.len();
                self.things.push(Thing {
                    kind: *kind,
                    name: format!("n{number}"),
                    parent: Some(parent),
                    owner: None,
                    exists: true,
                });
                Some(Done::Created(number))
            }
            Step::Drop(at) => {
                let at = pick(&self.living(|kind| kind != Metalake), *at)?;
                self.drop_thing(at);
                Some(Done::Dropped(at))
            }
            Step::Rename(at) => {
                let at = pick(&self.living(|kind| kind != Metalake && kind != Role), *at)?;
                self.things[at].name.push('x');
                Some(Done::Renamed(at))
            }
            Step::Move { leaf, schema } => {
                let leaf = pick(&self.living(|kind| kind == Table), *leaf)?;
                let schema = pick(&self.living(|kind| kind == Schema), *schema)?;
                let catalog = |of: usize| {
                    let way = self.upwards(of);
                    way.into_iter().find(|at| self.things[*at].kind == Catalog)
                };
                if catalog(leaf) != catalog(schema) || self.things[leaf].parent == Some(schema) {
                    return None;
                }
                self.things[leaf].parent = Some(schema);
                Some(Done::Moved(leaf))
            }
            Step::SetOwner { of, owner } => {
                let of = pick(&self.living(|kind| kind != Metalake), *of)?;
                self.things[of].owner = Some(pick(&self.principals(), *owner)?);
                Some(Done::Owned(of))
            }
            Step::Say {
                role,
                condition,
                privilege,
                on,
            } => {
                let role = pick(&self.living(|kind| kind == Role), *role)?;
                let on = pick(&self.living(|kind| privilege.binds_to(kind)), *on)?;
                let said = Said {
                    role,
                    condition: *condition,
                    privilege: *privilege,
                    on,
                };
                // A role can say only one of both of an object.
                let is_said = |other: &Said| {
                    other.role == role
                        && other.on == on
                        && other.privilege.canonical() == privilege.canonical()
                };
                if self.said.iter().any(is_said) {
                    return None;
                }
                self.said.push(said.clone());
                Some(Done::Said(said))
            }
            Step::Unsay(at) => {
                let numbers: Vec<usize> = (0..self.said.len()).collect();
                Some(Done::Unsaid(self.said.remove(pick(&numbers, *at)?)))
            }
            Step::GiveRole { role, holder } => {
                let role = pick(&self.living(|kind| kind == Role), *role)?;
                let holder = pick(&self.principals(), *holder)?;
                self.holders
                    .insert((role, holder.clone()))
                    .then_some(Done::Given(role, holder))
            }
            Step::TakeRole(at) => {
                let all: Vec<_> = self.holders.iter().cloned().collect();
                let (role, holder) = pick(&all, *at)?;
                self.holders.remove(&(role, holder.clone()));
                Some(Done::Taken(role, holder))
            }
            Step::Join { user, group } | Step::Leave { user, group } => {
                let user = pick(&self.users.keys().cloned().collect::<Vec<_>>(), *user)?;
                let group = pick(&self.groups.keys().cloned().collect::<Vec<_>>(), *group)?;
                let members = self.groups.get_mut(&group)?;
                if matches!(step, Step::Join { .. }) {
                    members
                        .insert(user.clone())
                        .then_some(Done::Joined { user, group })
                } else {
                    members.remove(&user).then_some(Done::Left { user, group })
                }
            }
            Step::Enable(user, is_enabled) => {
                // Not the owner of the metalake.
                let users: Vec<String> = self
                    .users
                    .keys()
                    .filter(|user| {
                        self.things[0]
                            .owner
                            .as_ref()
                            .is_some_and(|owner| owner.name != **user)
                    })
                    .cloned()
                    .collect();
                let user = pick(&users, *user)?;
                self.users.insert(user.clone(), *is_enabled);
                Some(Done::Enabled(user, *is_enabled))
            }
        }
    }

    /// What exists of the kinds that `is` accepts.
    pub(crate) fn living(&self, is: impl Fn(ObjectKind) -> bool) -> Vec<usize> {
        (0..self.things.len())
            .filter(|at| self.things[*at].exists && is(self.things[*at].kind))
            .collect()
    }

    fn principals(&self) -> Vec<Principal> {
        let of = |kind| {
            move |name: &String| Principal {
                kind,
                name: name.clone(),
            }
        };
        self.users
            .keys()
            .map(of(PrincipalKind::User))
            .chain(self.groups.keys().map(of(PrincipalKind::Group)))
            .collect()
    }

    /// An object goes with everything in it, and what is said of any of it.
    fn drop_thing(&mut self, at: usize) {
        let gone: Vec<usize> = (0..self.things.len())
            .filter(|other| self.upwards(*other).contains(&at))
            .collect();
        for other in &gone {
            self.things[*other].exists = false;
        }
        self.said
            .retain(|said| !gone.contains(&said.on) && !gone.contains(&said.role));
        self.holders.retain(|(role, _)| !gone.contains(role));
    }
}

/// Whether an object of `kind` can be directly in one of `above`.
pub(crate) fn can_be_in(kind: ObjectKind, above: ObjectKind) -> bool {
    match kind {
        Catalog | Tag | Role => above == Metalake,
        Schema => above == Catalog || above == Schema,
        Metalake => false,
        _ => above == Schema,
    }
}

fn pick<T: Clone>(among: &[T], number: usize) -> Option<T> {
    among.get(number.checked_rem(among.len())?).cloned()
}
