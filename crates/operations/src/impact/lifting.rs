// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who could lift a restriction with tags alone: whoever may use a tag that selects it, and has access to a table that it
//! restricts or to an object that the tag is on, can take the tag away or put another value nearer.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::condition::Condition;
use lakeward_authorization::decide::{Decision, decide};
use lakeward_authorization::grants::{HeldPrivilege, HeldRole, Holdings, Membership, Standing};
use lakeward_authorization::target::Shape;
use lakeward_authorization::{Chain, Grants, Privilege, Requirement, Target};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::{GroupClaim, Principal, PrincipalKind, Subject};
use lakeward_store::{ChainRow, Snapshot};

use super::inspect::{Inspected, InspectedTable};
use crate::Operations;
use crate::caller::Call;
use crate::error::OperationError;
use crate::explain::VisibleNames;
use crate::governed_facts::levels;

/// How many tables are tried for each principal: one that may be lifted is enough.
const TRIED_TABLES: usize = 50;

/// A user, group or role by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LiftingPrincipal {
    /// A user.
    User(String),
    /// A group.
    Group(String),
    /// A role, which is enough by itself.
    Role(String),
}

/// Somebody who could lift a restriction, and by what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lifting {
    /// Who.
    pub principal: LiftingPrincipal,
    /// By what, in words.
    pub through: String,
}

/// A principal that may use a tag, before its access to what is tagged is asked.
struct Holder {
    principal: LiftingPrincipal,
    is_shown: bool,
    /// What it has, in words.
    through: String,
}

/// A tag with what could be done to it: each target is the tag used on one object.
struct Lever {
    tag: ChainRow,
    targets: Vec<Target>,
}

/// A role that gives `APPLY_TAG`.
struct Tagger {
    role: ChainRow,
    privileges: Vec<HeldPrivilege>,
    /// On which object, in words.
    on: String,
}

impl Operations {
    /// Everybody who could lift what was inspected, and how many more whose names the caller may not see.
    pub(super) async fn lifting(
        &self,
        call: &Call,
        inspected: &Inspected,
        visible: &VisibleNames,
    ) -> Result<(Vec<Lifting>, usize), OperationError> {
        let metalake = call.facts.metalake_id()?;
        let mut snapshot = self.store().snapshot().await?;
        let levers = self.levers(&mut snapshot, metalake, inspected).await?;
        let roles = self.visibility(call, Requirement::load(ObjectKind::Role)).await?;
        let principals = self.shown_principals(call).await?;
        let mut shown = BTreeSet::new();
        let mut hidden = BTreeSet::new();
        for lever in &levers {
            let tag = &lever.tag.object.name;
            let tag_words = if visible.tags.contains(tag) {
                format!("tag `{tag}`")
            } else {
                "a tag that you may not see".to_owned()
            };
            let mut holders: Vec<(Holder, Grants)> = Vec::new();
            let of_metalake = snapshot.object(metalake).await?;
            let owners = [
                (lever.tag.owner.clone(), format!("owner of {tag_words}")),
                (
                    of_metalake.and_then(|row| row.owner),
                    "owner of the metalake".to_owned(),
                ),
            ];
            for (owner, through) in owners {
                if let Some(owner) = owner {
                    let grants = self.grants_of(&mut snapshot, metalake, &owner).await?;
                    let is_shown = match owner.kind {
                        PrincipalKind::User => principals.users.shows_principal(&owner),
                        PrincipalKind::Group => principals.groups.shows_principal(&owner),
                    };
                    holders.push((
                        Holder {
                            principal: principal(owner),
                            is_shown,
                            through,
                        },
                        grants,
                    ));
                }
            }
            let taggers = taggers(&mut snapshot, metalake, &lever.tag, &tag_words).await?;
            let mut by_role: BTreeMap<String, (String, bool)> = BTreeMap::new();
            for tagger in &taggers {
                let name = &tagger.role.object.name;
                let is_shown = roles.shows(tagger.role.object.id, tagger.role.owner.as_ref());
                by_role.insert(name.clone(), (tagger.on.clone(), is_shown));
                holders.push((
                    Holder {
                        principal: LiftingPrincipal::Role(name.clone()),
                        is_shown,
                        through: format!("APPLY_TAG on {}", tagger.on),
                    },
                    self.grants_of_role(tagger)?,
                ));
            }
            for (holder, role) in self.holders(&mut snapshot, metalake, &by_role).await? {
                let Some((on, role_is_shown)) = by_role.get(&role) else {
                    continue;
                };
                let role = if *role_is_shown {
                    format!("role `{role}`")
                } else {
                    "a role".to_owned()
                };
                let grants = self.grants_of(&mut snapshot, metalake, &holder).await?;
                let is_shown = match holder.kind {
                    PrincipalKind::User => principals.users.shows_principal(&holder),
                    PrincipalKind::Group => principals.groups.shows_principal(&holder),
                };
                holders.push((
                    Holder {
                        principal: principal(holder),
                        is_shown,
                        through: format!("APPLY_TAG on {on} by {role}"),
                    },
                    grants,
                ));
            }
            for (holder, grants) in holders {
                if !lever.is_moved_by(&grants) {
                    continue;
                }
                if holder.is_shown {
                    shown.insert(Lifting {
                        principal: holder.principal,
                        through: holder.through,
                    });
                } else {
                    hidden.insert(holder.principal);
                }
            }
        }
        Ok((shown.into_iter().collect(), hidden.len()))
    }

    /// The tags that select, with the tables and the objects that they are assigned on.
    async fn levers(
        &self,
        snapshot: &mut Snapshot,
        metalake: ObjectId,
        inspected: &Inspected,
    ) -> Result<Vec<Lever>, OperationError> {
        let mut tags: BTreeMap<&str, Vec<Chain>> = BTreeMap::new();
        for table in inspected.tables.iter().filter(|table| table.is_visible) {
            for (tag, sites) in table.impact.iter().flat_map(|impact| &impact.tags) {
                let chains = tags.entry(tag).or_default();
                if chains.len() >= TRIED_TABLES {
                    continue;
                }
                chains.push(whole(table));
                let names = levels(&table.rows, self.store().schema_separator());
                for site in sites {
                    // A column is reached through its table, which is there already.
                    if let Some(at) = names.iter().position(|level| level == site) {
                        let nodes = table.rows.iter().take(at + 1).map(ChainRow::node).collect();
                        chains.push(Chain::found(site.kind, nodes));
                    }
                }
            }
        }
        let mut levers = Vec::new();
        for (tag, objects) in tags {
            let Some(tag) = snapshot.child(metalake, ObjectKind::Tag, tag).await? else {
                continue;
            };
            let rows = snapshot.ancestors(tag.object.id).await?;
            let instrument = Chain::found(ObjectKind::Tag, rows.iter().map(ChainRow::node).collect());
            let targets = objects
                .into_iter()
                .map(|object| {
                    Target::of(Shape::Instruments {
                        object,
                        instruments: vec![instrument.clone()],
                    })
                })
                .collect();
            levers.push(Lever { tag, targets });
        }
        Ok(levers)
    }

    /// The users and groups that hold roles, each with the role.
    async fn holders(
        &self,
        snapshot: &mut Snapshot,
        metalake: ObjectId,
        roles: &BTreeMap<String, (String, bool)>,
    ) -> Result<Vec<(Principal, String)>, OperationError> {
        let mut holders = Vec::new();
        if roles.is_empty() {
            return Ok(holders);
        }
        let mut note = |kind, name: &str, held: Option<&Vec<String>>| {
            for role in held
                .into_iter()
                .flatten()
                .filter(|role| roles.contains_key(*role))
            {
                let principal = Principal {
                    kind,
                    name: name.to_owned(),
                };
                holders.push((principal, role.clone()));
            }
        };
        let held: HashMap<_, _> = snapshot.roles_of_users(metalake).await?;
        for user in snapshot.users(metalake).await? {
            note(PrincipalKind::User, &user.name, held.get(&user.id));
        }
        let held: HashMap<_, _> = snapshot.roles_of_groups(metalake).await?;
        for group in snapshot.groups(metalake).await? {
            note(PrincipalKind::Group, &group.name, held.get(&group.id));
        }
        Ok(holders)
    }

    /// What a user holds, with the groups of its account; or what a member of a group holds by that group alone.
    async fn grants_of(
        &self,
        snapshot: &mut Snapshot,
        metalake: ObjectId,
        principal: &Principal,
    ) -> Result<Grants, OperationError> {
        let subject = match principal.kind {
            PrincipalKind::User => Subject {
                user: principal.name.clone(),
                groups: self.stored_groups(snapshot, &principal.name).await?,
            },
            PrincipalKind::Group => Subject {
                user: String::new(),
                groups: GroupClaim::Known(BTreeSet::from([principal.name.clone()])),
            },
        };
        let mut holdings = self.holdings(snapshot, metalake, &subject).await?;
        if principal.kind == PrincipalKind::Group {
            holdings.membership = Membership::Member;
        }
        self.arranged(&holdings)
    }

    /// What a role gives by itself.
    fn grants_of_role(&self, tagger: &Tagger) -> Result<Grants, OperationError> {
        self.arranged(&Holdings {
            user: String::new(),
            membership: Membership::Member,
            groups: BTreeSet::new(),
            roles: vec![HeldRole {
                id: tagger.role.object.id,
                name: tagger.role.object.name.clone(),
            }],
            privileges: tagger.privileges.clone(),
        })
    }

    fn arranged(&self, holdings: &Holdings) -> Result<Grants, OperationError> {
        Grants::new(
            self.settings().mode,
            holdings,
            &ActiveRoles::All,
            Standing::default(),
        )
        .map_err(OperationError::internal)
    }
}

impl Lever {
    fn is_moved_by(&self, grants: &Grants) -> bool {
        self.targets.iter().any(|target| {
            matches!(
                decide(&Requirement::Instruments, target, grants),
                Decision::Allowed(_)
            )
        })
    }
}

fn whole(table: &InspectedTable) -> Chain {
    Chain::found(ObjectKind::Table, table.rows.iter().map(ChainRow::node).collect())
}

fn principal(principal: Principal) -> LiftingPrincipal {
    match principal.kind {
        PrincipalKind::User => LiftingPrincipal::User(principal.name),
        PrincipalKind::Group => LiftingPrincipal::Group(principal.name),
    }
}

/// The roles that allow `APPLY_TAG` on a tag or on the metalake.
async fn taggers(
    snapshot: &mut Snapshot,
    metalake: ObjectId,
    tag: &ChainRow,
    tag_words: &str,
) -> Result<Vec<Tagger>, OperationError> {
    let mut taggers: BTreeMap<ObjectId, Tagger> = BTreeMap::new();
    for (object, on) in [(tag.object.id, tag_words), (metalake, "the metalake")] {
        for role in snapshot.roles_of_object(object).await? {
            if taggers.contains_key(&role.object.id) {
                continue;
            }
            let mut privileges = Vec::new();
            for said in snapshot.role_objects(role.object.id).await? {
                let Some(object) = said.object_id else { continue };
                privileges.extend(said.securable.privileges().iter().map(|said| HeldPrivilege {
                    role: role.object.id,
                    object,
                    privilege: said.privilege,
                    condition: said.condition,
                }));
            }
            let gives = privileges.iter().any(|held| {
                held.object == object
                    && held.privilege.canonical() == Privilege::ApplyTag
                    && held.condition == Condition::Allow
            });
            if gives {
                let tagger = Tagger {
                    privileges,
                    on: on.to_owned(),
                    role,
                };
                taggers.insert(tagger.role.object.id, tagger);
            }
        }
    }
    Ok(taggers.into_values().collect())
}
