// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a request asks beside one object: grants and owners, instruments, moves, membership, the server's own lists,
//! and what a refusal may tell (seed 004; DESIGN.md, section 0).

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::authorized::authorize;
use lakeward_authorization::decide::decide;
use lakeward_authorization::grants::{Grants, Membership, Mode, Standing};
use lakeward_authorization::refusal::Existence;
use lakeward_authorization::requirement::Circumstance;
use lakeward_authorization::target::Shape;
use lakeward_authorization::{Chain, Privilege, Requirement, Target};
use lakeward_metadata::kind::ObjectKind;

use crate::seed_tables::{WAY, check};
use crate::world::{Ids, Persona};

#[test]
fn granting_privileges_and_setting_owners() {
    let grant = Requirement::ManageGrants;
    check("MANAGE_GRANTS@m", grant, ObjectKind::Catalog, "c", true);
    check("MANAGE_GRANTS@m", grant, ObjectKind::Table, "c.s.o", false);
    for level in ["m", "c", "c.s", "c.s.o"] {
        check(
            &format!("{WAY}, MANAGE_GRANTS@{level}"),
            grant,
            ObjectKind::Table,
            "c.s.o",
            true,
        );
        check(
            &format!("{WAY}, MANAGE_GRANTS@{level}"),
            Requirement::SetOwner,
            ObjectKind::Table,
            "c.s.o",
            false,
        );
    }
    check(
        &format!("{WAY}, own c.s.o"),
        grant,
        ObjectKind::Table,
        "c.s.o",
        true,
    );
    check(
        &format!("{WAY}, own c.s.o"),
        Requirement::SetOwner,
        ObjectKind::Table,
        "c.s.o",
        true,
    );
    check(
        "own c.s.o",
        Requirement::SetOwner,
        ObjectKind::Table,
        "c.s.o",
        false,
    );
    check("own c", Requirement::SetOwner, ObjectKind::Table, "c.s.o", true);
    check(
        "MANAGE_GRANTS@c",
        Requirement::Holds(&[Privilege::ManageGrants]),
        ObjectKind::Metalake,
        "m",
        false,
    );
}

#[test]
fn instruments_are_checked_each_and_with_the_object() {
    let decide_for = |persona: &str| {
        let mut ids = Ids::default();
        let persona = Persona::parse(persona);
        let grants = persona.grants(&mut ids);
        let target = Target::of(Shape::Instruments {
            object: persona.chain(ObjectKind::Table, "c.s.o", &mut ids),
            instruments: vec![
                persona.chain(ObjectKind::Tag, "tag:a", &mut ids),
                persona.chain(ObjectKind::Policy, "policy:b", &mut ids),
            ],
        });
        decide(&Requirement::Instruments, &target, &grants).is_allowed()
    };
    assert!(decide_for("own m"));
    assert!(decide_for(&format!(
        "{WAY}, SELECT_TABLE@c.s.o, APPLY_TAG@tag:a, APPLY_POLICY@policy:b"
    )));
    assert!(decide_for(&format!(
        "{WAY}, own c.s.o, own tag:a, APPLY_POLICY@m"
    )));
    assert!(!decide_for(&format!(
        "{WAY}, SELECT_TABLE@c.s.o, APPLY_TAG@tag:a"
    )));
    assert!(!decide_for(&format!(
        "{WAY}, SELECT_TABLE@c.s.o, APPLY_POLICY@policy:b"
    )));
    assert!(!decide_for("APPLY_TAG@m, APPLY_POLICY@m"));
    assert!(!decide_for(&format!(
        "{WAY}, SELECT_TABLE@m, APPLY_TAG@m, DENY APPLY_TAG@tag:a, APPLY_POLICY@m"
    )));
}

#[test]
fn what_the_request_says_and_where_it_moves() {
    const RENAME: Requirement = Requirement::IfRequest {
        says: Circumstance::LeavesItsSchema,
        then: &Requirement::All(&[
            Requirement::Owner(ObjectKind::Table),
            Requirement::Destination(&Requirement::CreateIn {
                parent: ObjectKind::Schema,
                holding: &[Privilege::CreateTable],
            }),
        ]),
        otherwise: &Requirement::On {
            kind: ObjectKind::Table,
            holding: &[Privilege::ModifyTable],
        },
    };
    let decide_for = |persona: &str, leaves: bool| {
        let mut ids = Ids::default();
        let persona = Persona::parse(persona);
        let grants = persona.grants(&mut ids);
        let target = Target::of(Shape::Move {
            source: persona.chain(ObjectKind::Table, "c.s.o", &mut ids),
            destination: persona.chain(ObjectKind::Schema, "c.s2", &mut ids),
        })
        .saying(Circumstance::LeavesItsSchema, leaves);
        decide(&RENAME, &target, &grants).is_allowed()
    };
    assert!(decide_for(&format!("{WAY}, MODIFY_TABLE@c.s"), false));
    assert!(!decide_for(
        &format!("{WAY}, MODIFY_TABLE@m, CREATE_TABLE@m"),
        true
    ));
    assert!(decide_for(&format!("{WAY}, own c.s.o, CREATE_TABLE@c.s2"), true));
    assert!(!decide_for(&format!("{WAY}, own c.s.o, CREATE_TABLE@c.s"), true));
}

#[test]
fn each_of_several_is_asked_for_with_what_is_said_of_it() {
    const COMMIT: Requirement = Requirement::Each(&Requirement::IfRequest {
        says: Circumstance::Creates,
        then: &Requirement::CreateIn {
            parent: ObjectKind::Schema,
            holding: &[Privilege::CreateTable],
        },
        otherwise: &Requirement::On {
            kind: ObjectKind::Table,
            holding: &[Privilege::ModifyTable],
        },
    });
    let decide_for = |persona: &str, tables: &[(&str, bool)]| {
        let mut ids = Ids::default();
        let persona = Persona::parse(persona);
        let grants = persona.grants(&mut ids);
        let targets = tables.iter().map(|(name, creates)| {
            Target::object(persona.chain(ObjectKind::Table, name, &mut ids))
                .saying(Circumstance::Creates, *creates)
        });
        decide(&COMMIT, &Target::of(Shape::Several(targets.collect())), &grants).is_allowed()
    };
    let modifies_o = format!("{WAY}, MODIFY_TABLE@c.s.o");
    assert!(decide_for(&modifies_o, &[("c.s.o", false)]));
    assert!(!decide_for(&modifies_o, &[("c.s.o", false), ("c.s.p", false)]));
    assert!(!decide_for(&modifies_o, &[("c.s.o", false), ("c.s.p", true)]));
    let makes_too = format!("{modifies_o}, CREATE_TABLE@c.s");
    assert!(decide_for(&makes_too, &[("c.s.o", false), ("c.s.p", true)]));
    assert!(!decide_for(&makes_too, &[("c.s.p", false), ("c.s.o", false)]));
    assert!(!decide_for("own m", &[]), "nothing named is nothing allowed");
}

#[test]
fn only_enabled_users_of_the_metalake_get_anything() {
    let mut ids = Ids::default();
    let persona = Persona::parse("own m, USE_CATALOG@m");
    let target = Target::object(persona.chain(ObjectKind::Catalog, "c", &mut ids));
    for (membership, expected) in [
        (Membership::Member, true),
        (Membership::Suspended, false),
        (Membership::Outsider, false),
    ] {
        let mut holdings = persona.holdings(&mut ids);
        holdings.membership = membership;
        let grants =
            Grants::new(Mode::Enforced, &holdings, &ActiveRoles::All, Standing::default()).expect("grants");
        for requirement in [
            Requirement::Member,
            Requirement::AccessTo,
            Requirement::Owner(ObjectKind::Metalake),
        ] {
            assert_eq!(
                decide(&requirement, &target, &grants).is_allowed(),
                expected,
                "{membership:?} {requirement}"
            );
        }
        let passed = Grants::new(
            Mode::PassThrough,
            &holdings,
            &ActiveRoles::All,
            Standing::default(),
        )
        .expect("grants");
        assert!(decide(&Requirement::Owner(ObjectKind::Metalake), &target, &passed).is_allowed());
    }
}

#[test]
fn the_servers_own_lists() {
    let administrator = Standing {
        service_administrator: true,
        ..Standing::default()
    };
    let operator = Standing {
        operator: true,
        ..Standing::default()
    };
    let provisioner = Standing {
        provisioner: true,
        ..Standing::default()
    };
    for (requirement, standing, mode, expected) in [
        (
            Requirement::ServiceAdministrator,
            Standing::default(),
            Mode::Enforced,
            false,
        ),
        (
            Requirement::ServiceAdministrator,
            administrator,
            Mode::Enforced,
            true,
        ),
        (
            Requirement::ServiceAdministrator,
            Standing::default(),
            Mode::PassThrough,
            true,
        ),
        (
            Requirement::ServiceAdministrator,
            Standing::default(),
            Mode::Off,
            true,
        ),
        (
            Requirement::AccountAdministrator,
            Standing::default(),
            Mode::Off,
            false,
        ),
        (Requirement::AccountAdministrator, administrator, Mode::Off, true),
        (Requirement::Operator, administrator, Mode::Off, false),
        (Requirement::Operator, operator, Mode::PassThrough, true),
        (Requirement::Provisioner, operator, Mode::Off, false),
        (Requirement::Provisioner, provisioner, Mode::Enforced, true),
        (
            Requirement::Authenticated,
            Standing::default(),
            Mode::Enforced,
            true,
        ),
        (Requirement::Member, administrator, Mode::Enforced, false),
    ] {
        let grants = Grants::outside_metalakes(mode, "caller", standing);
        assert_eq!(
            decide(&requirement, &Target::server(), &grants).is_allowed(),
            expected,
            "{requirement} {mode:?}"
        );
    }
}

#[test]
fn absence_of_a_table_is_told_only_to_those_who_could_put_or_see_something_there() {
    let existence = |persona: &str, kind: ObjectKind| {
        let mut ids = Ids::default();
        let persona = Persona::parse(persona);
        let grants = persona.grants(&mut ids);
        let nodes = persona
            .chain(ObjectKind::Schema, "c.s", &mut ids)
            .nodes()
            .to_vec();
        let target = Target::object(Chain::missing(kind, nodes));
        let refused = authorize(&Requirement::Owner(kind), (), &target, &grants).expect_err("refused");
        assert!(!refused.exists);
        refused.existence
    };
    assert_eq!(existence("", ObjectKind::Table), Existence::Hidden);
    assert_eq!(existence(WAY, ObjectKind::Table), Existence::Hidden);
    assert_eq!(existence("CREATE_TABLE@m", ObjectKind::Table), Existence::Hidden);
    assert_eq!(
        existence(&format!("{WAY}, CREATE_TABLE@c.s"), ObjectKind::Table),
        Existence::MayBeTold
    );
    assert_eq!(
        existence(&format!("{WAY}, SELECT_VIEW@c"), ObjectKind::Table),
        Existence::MayBeTold
    );
    assert_eq!(
        existence(&format!("{WAY}, CREATE_TABLE@c.s"), ObjectKind::Fileset),
        Existence::Hidden
    );
}
