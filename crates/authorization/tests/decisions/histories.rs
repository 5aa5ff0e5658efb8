// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The engine against the model: the same decisions whatever happened before.

use std::cell::Cell;
use std::collections::BTreeSet;

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::decide::decide;
use lakeward_authorization::explain::explain;
use lakeward_authorization::grants::{HeldPrivilege, HeldRole, Holdings, Membership, Mode, Standing};
use lakeward_authorization::seen::{is_seen, seen, told};
use lakeward_authorization::target::Shape;
use lakeward_authorization::{
    Chain, Condition, Grants, Node, Privilege, Requirement, Target, Visibility, authorize,
};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind::{self, *};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::history::{Step, can_be_in};
use crate::model::{Deed, Lake, Said};

const USERS: &[&str] = &["root", "ann", "bob", "eve"];
const GROUPS: &[&str] = &["staff", "team"];
/// How many decisions are compared.
const DECISIONS: usize = 100_000;

const KINDS: &[ObjectKind] = &[
    Catalog, Schema, Schema, Table, Table, Table, View, Topic, Fileset, Model, Function, Tag, Role, Role,
];

/// All privileges, those that meet often more than once.
fn privilege() -> impl Strategy<Value = Privilege> {
    prop_oneof![
        2 => prop::sample::select(vec![Privilege::UseCatalog, Privilege::UseSchema]),
        1 => prop::sample::select(vec![Privilege::SelectTable, Privilege::ModifyTable, Privilege::ManageGrants]),
        2 => prop::sample::select(Privilege::ALL),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let at = 0usize..1_000;
    let condition = prop_oneof![4 => Just(Condition::Allow), 1 => Just(Condition::Deny)];
    prop_oneof![
        8 => (prop::sample::select(KINDS), at.clone()).prop_map(|(kind, parent)| Step::Create { kind, parent }),
        1 => at.clone().prop_map(Step::Drop),
        1 => at.clone().prop_map(Step::Rename),
        2 => (at.clone(), at.clone()).prop_map(|(leaf, schema)| Step::Move { leaf, schema }),
        4 => (at.clone(), at.clone()).prop_map(|(of, owner)| Step::SetOwner { of, owner }),
        14 => (at.clone(), condition, privilege(), at.clone())
            .prop_map(|(role, condition, privilege, on)| Step::Say { role, condition, privilege, on }),
        1 => at.clone().prop_map(Step::Unsay),
        6 => (at.clone(), at.clone()).prop_map(|(role, holder)| Step::GiveRole { role, holder }),
        1 => at.clone().prop_map(Step::TakeRole),
        3 => (at.clone(), at.clone()).prop_map(|(user, group)| Step::Join { user, group }),
        1 => (at.clone(), at.clone()).prop_map(|(user, group)| Step::Leave { user, group }),
        1 => (at, prop::bool::weighted(0.7)).prop_map(|(user, is_enabled)| Step::Enable(user, is_enabled)),
    ]
}

fn history() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 10..90)
}

fn id(at: usize) -> ObjectId {
    ObjectId::new(i64::try_from(at).expect("few objects") + 1)
}

impl Lake {
    /// What a store would say of a user.
    fn holdings(&self, user: &str) -> Holdings {
        let roles = self.living(|kind| kind == Role);
        let held = |role: usize| self.holds(user, role);
        Holdings {
            user: user.to_owned(),
            membership: match self.users.get(user) {
                None => Membership::Outsider,
                Some(true) => Membership::Member,
                Some(false) => Membership::Suspended,
            },
            groups: self
                .groups
                .iter()
                .filter(|(_, members)| members.contains(user))
                .map(|(group, _)| group.clone())
                .collect(),
            roles: roles
                .into_iter()
                .filter(|role| held(*role))
                .map(|role| HeldRole {
                    id: id(role),
                    name: self.things[role].name.clone(),
                })
                .collect(),
            privileges: self
                .said
                .iter()
                .filter(|said| held(said.role))
                .map(|said| HeldPrivilege {
                    role: id(said.role),
                    object: id(said.on),
                    privilege: said.privilege,
                    condition: said.condition,
                })
                .collect(),
        }
    }

    fn grants(&self, user: &str) -> Grants {
        let holdings = self.holdings(user);
        Grants::new(Mode::Enforced, &holdings, &ActiveRoles::All, Standing::default()).expect("all roles")
    }

    fn chain(&self, at: usize) -> Chain {
        let nodes = self
            .upwards(at)
            .into_iter()
            .rev()
            .map(|at| Node {
                id: id(at),
                kind: self.things[at].kind,
                owner: self.things[at].owner.clone(),
            })
            .collect();
        Chain::found(self.things[at].kind, nodes)
    }

    /// Everything that can be done to anything.
    fn deeds(&self) -> Vec<(Deed, usize)> {
        let tags = self.living(|kind| kind == Tag);
        let mut deeds = Vec::new();
        for at in self.living(|_| true) {
            let kind = self.things[at].kind;
            deeds.extend(
                [Deed::Load, Deed::Alter, Deed::Drop, Deed::SetOwner, Deed::Grant].map(|deed| (deed, at)),
            );
            let children = BTreeSet::from_iter(KINDS)
                .into_iter()
                .filter(|child| can_be_in(**child, kind));
            deeds.extend(children.map(|child| (Deed::Create(*child), at)));
            if kind.is_taggable() {
                deeds.extend(tags.iter().map(|tag| (Deed::Attach(*tag), at)));
            }
        }
        deeds
    }
}

/// What the endpoint of a deed requires, and of what.
fn demand(lake: &Lake, deed: Deed, at: usize) -> (Requirement, Target) {
    let kind = lake.things[at].kind;
    let on = |holding| Requirement::On { kind, holding };
    let requirement = match deed {
        Deed::Load => *Requirement::load(kind),
        Deed::Alter => on(match kind {
            Table => &[Privilege::ModifyTable],
            Topic => &[Privilege::ProduceTopic],
            Fileset => &[Privilege::WriteFileset],
            Function => &[Privilege::ModifyFunction],
            _ => &[],
        }),
        Deed::Drop => Requirement::Owner(kind),
        Deed::SetOwner => Requirement::SetOwner,
        Deed::Grant => Requirement::ManageGrants,
        Deed::Create(child) => Requirement::CreateIn {
            parent: kind,
            holding: match child {
                Catalog => &[Privilege::CreateCatalog],
                Schema => &[Privilege::CreateSchema],
                Table => &[Privilege::CreateTable],
                View => &[Privilege::CreateView],
                Topic => &[Privilege::CreateTopic],
                Fileset => &[Privilege::CreateFileset],
                Model => &[Privilege::RegisterModel],
                Function => &[Privilege::RegisterFunction],
                Tag => &[Privilege::CreateTag],
                _ => &[Privilege::CreateRole],
            },
        },
        Deed::Attach(_) => Requirement::Instruments,
    };
    let target = match deed {
        Deed::Attach(tag) => Target::of(Shape::Instruments {
            object: lake.chain(at),
            instruments: vec![lake.chain(tag)],
        }),
        _ => Target::object(lake.chain(at)),
    };
    (requirement, target)
}

fn lived(history: &[Step]) -> Lake {
    let mut lake = Lake::new(USERS, GROUPS);
    for step in history {
        lake.take(step);
    }
    lake
}

/// Every decision about everything for somebody.
fn decisions(lake: &Lake, user: &str) -> Vec<bool> {
    let grants = lake.grants(user);
    let decided = |(deed, at): (Deed, usize)| {
        let (requirement, target) = demand(lake, deed, at);
        decide(&requirement, &target, &grants).is_allowed()
    };
    lake.deeds().into_iter().map(decided).collect()
}

fn fixed(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// A hundred thousand decisions about random metalakes are those of the model; so is each verdict that is explained.
#[test]
fn decisions_are_those_of_the_model() {
    let compared = Cell::new(0);
    let allowed = Cell::new(0);
    fixed(900)
        .run(&history(), |history| {
            let mut lake = Lake::new(USERS, GROUPS);
            for (number, step) in history.iter().enumerate() {
                lake.take(step);
                if number % 30 != 29 && number + 1 != history.len() {
                    continue;
                }
                for user in ["ann", "bob", "ghost"] {
                    let grants = lake.grants(user);
                    for (deed, at) in lake.deeds() {
                        let (requirement, target) = demand(&lake, deed, at);
                        let decided = decide(&requirement, &target, &grants);
                        let expected = lake.may(user, deed, at);
                        prop_assert_eq!(
                            decided.is_allowed(),
                            expected,
                            "{} {:?} {:?}",
                            user,
                            deed,
                            lake.things[at]
                        );
                        let explained = explain(&requirement, &target, &grants);
                        prop_assert_eq!(explained.decision, decided);
                        compared.set(compared.get() + 1);
                        allowed.set(allowed.get() + usize::from(expected));
                    }
                }
            }
            Ok(())
        })
        .expect("no difference");
    assert!(
        compared.get() >= DECISIONS,
        "{} decisions were compared",
        compared.get()
    );
    // Neither answer is a rarity, so that a comparison means something.
    let share = allowed.get() * 100 / compared.get();
    assert!(
        (5..95).contains(&share),
        "{share} % of {} are allowed",
        compared.get()
    );
}

/// Who grants without a saying of its own: a role held by `user` that says one thing more.
fn with_saying(
    lake: &Lake,
    user: &str,
    condition: Condition,
    privilege: Privilege,
    at: usize,
) -> Option<Lake> {
    let role = lake
        .living(|kind| kind == Role)
        .into_iter()
        .find(|role| lake.holds(user, *role))?;
    let places = lake.living(|kind| privilege.binds_to(kind));
    let on = places.get(at.checked_rem(places.len())?)?;
    let mut more = lake.clone();
    more.said.push(Said {
        role,
        condition,
        privilege,
        on: *on,
    });
    Some(more)
}

proptest! {
    #![proptest_config(Config { cases: 128, failure_persistence: None, ..Config::default() })]

    #[test]
    fn in_any_history_a_deny_never_allows_and_an_allow_never_refuses(
        history in history(), privilege in privilege(), at in 0usize..1_000
    ) {
        let lake = lived(&history);
        for user in ["ann", "bob"] {
            let before = decisions(&lake, user);
            if let Some(denied) = with_saying(&lake, user, Condition::Deny, privilege, at) {
                let after = decisions(&denied, user);
                prop_assert!(before.iter().zip(&after).all(|(before, after)| *before || !*after));
            }
            if let Some(allowed) = with_saying(&lake, user, Condition::Allow, privilege, at) {
                let after = decisions(&allowed, user);
                prop_assert!(before.iter().zip(&after).all(|(before, after)| !*before || *after));
            }
        }
    }

    #[test]
    fn in_any_history_order_says_nothing(history in history(), rotation in 0usize..100) {
        let lake = lived(&history);
        let mut turned = lake.clone();
        turned.said.reverse();
        let by = rotation % turned.said.len().max(1);
        turned.said.rotate_left(by);
        for user in ["ann", "bob"] {
            prop_assert_eq!(decisions(&lake, user), decisions(&turned, user));
        }
    }

    #[test]
    fn in_any_history_lists_show_what_the_model_lets_load(history in history()) {
        let lake = lived(&history);
        for user in ["ann", "bob"] {
            let grants = lake.grants(user);
            for at in lake.living(|kind| kind != Metalake) {
                let parent = lake.things[at].parent.expect("everything is in something");
                let shows = Requirement::load(lake.things[at].kind);
                let visibility = Visibility::new(shows, &grants, &lake.chain(parent));
                let shown = visibility.shows(id(at), lake.things[at].owner.as_ref());
                prop_assert_eq!(shown, lake.may(user, Deed::Load, at), "{} {:?}", user, lake.things[at]);
                // Whatever is shown is among the candidates.
                let owner = lake.things[at].owner.as_ref();
                let is_candidate = visibility.candidates().is_none_or(|candidates| {
                    candidates.ids.iter().any(|ids| ids.contains(&id(at)))
                        || owner.is_some_and(|owner| candidates.owners.contains(owner))
                });
                prop_assert!(is_candidate || !shown, "{} {:?}", user, lake.things[at]);
            }
        }
    }

    /// What is told of a refusal depends on nothing that is hidden: it is the same for an object that is not there. Only
    /// where the request would be allowed if the object were absent, the refusal itself tells that something is there.
    #[test]
    fn a_refusal_tells_nothing_of_what_is_hidden(history in history()) {
        let lake = lived(&history);
        for user in ["ann", "bob", "eve"] {
            let grants = lake.grants(user);
            for (deed, at) in lake.deeds() {
                let (requirement, target) = demand(&lake, deed, at);
                let chain = lake.chain(at);
                if is_seen(&chain, &grants) || matches!(deed, Deed::Attach(_)) {
                    continue;
                }
                let Err(refusal) = authorize(&requirement, (), &target, &grants) else { continue };
                let above = chain.nodes().split_last().map(|(_, above)| above.to_vec()).unwrap_or_default();
                let absent = Target::object(Chain::missing(chain.kind(), above));
                let Err(of_absent) = authorize(&requirement, (), &absent, &grants) else { continue };
                prop_assert_eq!(refusal.to_string(), of_absent.to_string());
                let again = told(&requirement, &seen(&target, &grants), &grants, refusal.objection);
                prop_assert_eq!(again, refusal.objection);
            }
        }
    }
}
