// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Laws that hold for every set of grants: a DENY never opens, an ALLOW never closes, order says nothing, and a list
//! shows exactly what deciding item by item would allow.

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::decide::decide;
use lakeward_authorization::grants::{Grants, Mode, Standing};
use lakeward_authorization::{Condition, Privilege, Requirement, Target, Visibility};
use lakeward_metadata::kind::ObjectKind;
use proptest::prelude::*;

use crate::world::{Ids, Persona};

const OBJECTS: &[(ObjectKind, &str)] = &[
    (ObjectKind::Metalake, "m"),
    (ObjectKind::Catalog, "c"),
    (ObjectKind::Catalog, "d"),
    (ObjectKind::Schema, "c.a"),
    (ObjectKind::Schema, "c.a:b"),
    (ObjectKind::Table, "c.a:b.t"),
    (ObjectKind::Table, "c.a:b.u"),
    (ObjectKind::Model, "c.a.o"),
    (ObjectKind::Tag, "tag:x"),
    (ObjectKind::Tag, "tag:y"),
    (ObjectKind::Role, "role:x"),
];

const REQUIREMENTS: &[Requirement] = &[
    Requirement::Member,
    Requirement::AccessTo,
    Requirement::ManageGrants,
    Requirement::SetOwner,
    Requirement::Holds(&[Privilege::ManageGrants, Privilege::CreateRole]),
    Requirement::CreateIn {
        parent: ObjectKind::Schema,
        holding: &[Privilege::CreateTable],
    },
    Requirement::CreateIn {
        parent: ObjectKind::Catalog,
        holding: &[Privilege::CreateSchema],
    },
    Requirement::On {
        kind: ObjectKind::Model,
        holding: &[Privilege::LinkModelVersion],
    },
    Requirement::Any(&[Requirement::Named, Requirement::Owner(ObjectKind::Table)]),
];

fn saying() -> impl Strategy<Value = (i64, Condition, Privilege, String)> {
    let condition = prop_oneof![3 => Just(Condition::Allow), 1 => Just(Condition::Deny)];
    // Few privileges, so that they meet.
    let privilege = prop::sample::select(vec![
        Privilege::UseCatalog,
        Privilege::UseSchema,
        Privilege::SelectTable,
        Privilege::ModifyTable,
        Privilege::CreateTable,
        Privilege::CreateSchema,
        Privilege::ManageGrants,
        Privilege::UseModel,
        Privilege::LinkModelVersion,
        Privilege::CreateModelVersion,
        Privilege::ApplyTag,
    ]);
    (1i64..5, condition, privilege, prop::sample::select(OBJECTS)).prop_filter_map(
        "binds",
        |(role, condition, privilege, (kind, name))| {
            privilege
                .binds_to(kind)
                .then(|| (1000 + role, condition, privilege, name.to_owned()))
        },
    )
}

fn persona() -> impl Strategy<Value = Persona> {
    let owns = prop::collection::btree_set(
        prop::sample::select(OBJECTS).prop_map(|(_, name)| name.to_owned()),
        0..3,
    );
    (owns, prop::collection::vec(saying(), 0..14)).prop_map(|(owns, says)| Persona { owns, says })
}

/// Every decision on every object.
fn decisions(persona: &Persona, active: &ActiveRoles) -> Vec<bool> {
    let mut ids = Ids::default();
    let Ok(grants) = Grants::new(
        Mode::Enforced,
        &persona.holdings(&mut ids),
        active,
        Standing::default(),
    ) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (kind, name) in OBJECTS {
        let target = Target::object(persona.chain(*kind, name, &mut ids));
        all.extend(
            REQUIREMENTS
                .iter()
                .map(|requirement| decide(requirement, &target, &grants).is_allowed()),
        );
    }
    all
}

fn never_more(before: &[bool], after: &[bool]) -> bool {
    before.iter().zip(after).all(|(before, after)| *before || !*after)
}

proptest! {
    #[test]
    fn a_deny_never_allows_more(persona in persona(), (role, _, privilege, object) in saying()) {
        let mut denied = persona.clone();
        denied.says.push((role, Condition::Deny, privilege, object));
        let (before, after) = (decisions(&persona, &ActiveRoles::All), decisions(&denied, &ActiveRoles::All));
        // A new role shows itself to its holder; that is not the deny's doing.
        prop_assume!(persona.says.iter().any(|(held, ..)| *held == role));
        prop_assert!(never_more(&before, &after));
    }

    #[test]
    fn an_allow_never_allows_less(persona in persona(), (role, _, privilege, object) in saying()) {
        let mut allowed = persona.clone();
        allowed.says.push((role, Condition::Allow, privilege, object));
        prop_assert!(never_more(&decisions(&allowed, &ActiveRoles::All), &decisions(&persona, &ActiveRoles::All)));
    }

    #[test]
    fn order_says_nothing(persona in persona(), rotation in 0usize..14) {
        let mut rotated = persona.clone();
        let length = rotated.says.len().max(1);
        if !rotated.says.is_empty() {
            rotated.says.rotate_left(rotation % length);
        }
        prop_assert_eq!(decisions(&persona, &ActiveRoles::All), decisions(&rotated, &ActiveRoles::All));
    }

    #[test]
    fn fewer_active_roles_never_allow_more(persona in persona()) {
        let all = decisions(&persona, &ActiveRoles::All);
        prop_assert!(never_more(&all, &decisions(&persona, &ActiveRoles::None)));
        for (role, ..) in &persona.says {
            let one = ActiveRoles::Named([format!("r{role}")].into());
            prop_assert!(never_more(&all, &decisions(&persona, &one)));
        }
    }

    #[test]
    fn a_list_shows_what_deciding_item_by_item_allows(persona in persona()) {
        let mut ids = Ids::default();
        let grants = persona.grants(&mut ids);
        let lists: &[(&Requirement, ObjectKind, &str, ObjectKind, &[&str])] = &[
            (Requirement::load(ObjectKind::Catalog), ObjectKind::Metalake, "m", ObjectKind::Catalog, &["c", "d"]),
            (Requirement::load(ObjectKind::Schema), ObjectKind::Catalog, "c", ObjectKind::Schema, &["c.a"]),
            (Requirement::load(ObjectKind::Schema), ObjectKind::Schema, "c.a", ObjectKind::Schema, &["c.a:b"]),
            (Requirement::load(ObjectKind::Table), ObjectKind::Schema, "c.a:b", ObjectKind::Table, &["c.a:b.t", "c.a:b.u"]),
            (Requirement::load(ObjectKind::Model), ObjectKind::Schema, "c.a", ObjectKind::Model, &["c.a.o"]),
            (Requirement::load(ObjectKind::Tag), ObjectKind::Metalake, "m", ObjectKind::Tag, &["tag:x"]),
            (Requirement::load(ObjectKind::Role), ObjectKind::Metalake, "m", ObjectKind::Role, &["role:x"]),
            // The roles and tags of a table are looked at from the metalake.
            (Requirement::load(ObjectKind::Role), ObjectKind::Table, "c.a:b.t", ObjectKind::Role, &["role:x"]),
            (Requirement::load(ObjectKind::Tag), ObjectKind::Table, "c.a:b.t", ObjectKind::Tag, &["tag:x"]),
            // A request about one tag that speaks of others.
            (Requirement::load(ObjectKind::Tag), ObjectKind::Tag, "tag:x", ObjectKind::Tag, &["tag:x", "tag:y"]),
        ];
        for (shows, parent_kind, parent, kind, items) in lists {
            let parent = persona.chain(*parent_kind, parent, &mut ids);
            let visibility = Visibility::new(shows, &grants, &parent);
            for item in *items {
                let chain = persona.chain(*kind, item, &mut ids);
                let node = chain.object().expect("found");
                let decided = decide(shows, &Target::object(chain.clone()), &grants).is_allowed();
                prop_assert_eq!(visibility.shows(node.id, node.owner.as_ref()), decided, "{} {}", shows, item);
            }
        }
    }
}
