// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The tables of the access-control page (seed 004), row by row: what suffices for each operation, that each part of
//! it is needed, and that nothing else does.

use lakeward_authorization::decide::decide;
use lakeward_authorization::{Privilege, Requirement, Target};
use lakeward_metadata::kind::ObjectKind;

use crate::world::{Ids, Persona};

/// Decides `requirement` on an object for a persona.
pub(crate) fn check(persona: &str, requirement: Requirement, kind: ObjectKind, name: &str, expected: bool) {
    let mut ids = Ids::default();
    let persona_read = Persona::parse(persona);
    let grants = persona_read.grants(&mut ids);
    let target = Target::object(persona_read.chain(kind, name, &mut ids));
    let decision = decide(&requirement, &target, &grants);
    assert_eq!(
        decision.is_allowed(),
        expected,
        "{persona} / {requirement} / {kind} {name}: {decision}"
    );
}

pub(crate) const WAY: &str = "USE_CATALOG@m, USE_SCHEMA@m";

/// Privileges of which one suffices; none means that only ownership does.
type OneOf = &'static [Privilege];

/// The seed's table of data objects: kind, object, create, load, alter.
const DATA_OBJECTS: &[(ObjectKind, &str, OneOf, OneOf, OneOf)] = &[
    (
        ObjectKind::Table,
        "c.s.o",
        &[Privilege::CreateTable],
        &[Privilege::SelectTable, Privilege::ModifyTable],
        &[Privilege::ModifyTable],
    ),
    (
        ObjectKind::View,
        "c.s.o",
        &[Privilege::CreateView],
        &[Privilege::SelectView],
        &[],
    ),
    (
        ObjectKind::Topic,
        "c.s.o",
        &[Privilege::CreateTopic],
        &[Privilege::ConsumeTopic, Privilege::ProduceTopic],
        &[Privilege::ProduceTopic],
    ),
    (
        ObjectKind::Fileset,
        "c.s.o",
        &[Privilege::CreateFileset],
        &[Privilege::ReadFileset, Privilege::WriteFileset],
        &[Privilege::WriteFileset],
    ),
    (
        ObjectKind::Model,
        "c.s.o",
        &[Privilege::RegisterModel],
        &[Privilege::UseModel],
        &[],
    ),
    (
        ObjectKind::Function,
        "c.s.o",
        &[Privilege::RegisterFunction],
        &[Privilege::ExecuteFunction, Privilege::ModifyFunction],
        &[Privilege::ModifyFunction],
    ),
];

#[test]
fn leaves_are_loaded_altered_and_dropped_as_their_row_says() {
    for (kind, name, _, load, alter) in DATA_OBJECTS {
        for (holding, wanted) in [
            (
                Requirement::On {
                    kind: *kind,
                    holding: load,
                },
                *load,
            ),
            (
                Requirement::On {
                    kind: *kind,
                    holding: alter,
                },
                *alter,
            ),
            (Requirement::Owner(*kind), &[][..]),
        ] {
            for privilege in Privilege::ALL
                .iter()
                .filter(|privilege| privilege.binds_to(ObjectKind::Metalake))
            {
                let suffices = wanted.iter().any(|one| one.canonical() == privilege.canonical());
                check(&format!("{WAY}, {privilege}@m"), holding, *kind, name, suffices);
            }
            for privilege in wanted {
                for level in ["m", "c", "c.s", "c.s.o"] {
                    check(&format!("{WAY}, {privilege}@{level}"), holding, *kind, name, true);
                    check(
                        &format!("USE_CATALOG@m, {privilege}@{level}"),
                        holding,
                        *kind,
                        name,
                        false,
                    );
                    check(
                        &format!("USE_SCHEMA@m, {privilege}@{level}"),
                        holding,
                        *kind,
                        name,
                        false,
                    );
                    for denied in ["m", "c", "c.s", "c.s.o"] {
                        let persona = format!("{WAY}, {privilege}@{level}, DENY {privilege}@{denied}");
                        check(&persona, holding, *kind, name, false);
                    }
                }
            }
            check("own m", holding, *kind, name, true);
            check("own c", holding, *kind, name, true);
            check("own c.s", holding, *kind, name, false);
            check("own c.s, USE_CATALOG@c", holding, *kind, name, true);
            check("own c.s.o", holding, *kind, name, false);
            check(&format!("own c.s.o, {WAY}"), holding, *kind, name, true);
            check(
                &format!("own c.s.o, {WAY}, DENY USE_SCHEMA@c"),
                holding,
                *kind,
                name,
                false,
            );
            check(
                &format!("own c.s, {WAY}, DENY USE_CATALOG@m"),
                holding,
                *kind,
                name,
                false,
            );
            check(
                "own c, DENY USE_CATALOG@m, DENY USE_SCHEMA@c.s",
                holding,
                *kind,
                name,
                true,
            );
            check("", holding, *kind, name, false);
        }
    }
}

#[test]
fn leaves_are_created_as_their_row_says() {
    for (_, _, create, _, _) in DATA_OBJECTS {
        let requirement = Requirement::CreateIn {
            parent: ObjectKind::Schema,
            holding: create,
        };
        let privilege = create[0];
        for level in ["m", "c", "c.s"] {
            check(
                &format!("{WAY}, {privilege}@{level}"),
                requirement,
                ObjectKind::Schema,
                "c.s",
                true,
            );
            check(
                &format!("USE_CATALOG@m, {privilege}@{level}"),
                requirement,
                ObjectKind::Schema,
                "c.s",
                false,
            );
            check(
                &format!("USE_SCHEMA@m, {privilege}@{level}"),
                requirement,
                ObjectKind::Schema,
                "c.s",
                false,
            );
        }
        check(WAY, requirement, ObjectKind::Schema, "c.s", false);
        check("own c.s", requirement, ObjectKind::Schema, "c.s", false);
        check(
            "own c.s, USE_CATALOG@m",
            requirement,
            ObjectKind::Schema,
            "c.s",
            true,
        );
        check("own c", requirement, ObjectKind::Schema, "c.s", true);
    }
}

#[test]
fn catalogs_and_schemas() {
    let load = *Requirement::load(ObjectKind::Catalog);
    check("USE_CATALOG@c", load, ObjectKind::Catalog, "c", true);
    check("USE_CATALOG@other", load, ObjectKind::Catalog, "c", false);
    check(
        "USE_CATALOG@m, DENY USE_CATALOG@c",
        load,
        ObjectKind::Catalog,
        "c",
        false,
    );
    check(
        "USE_CATALOG@c, DENY USE_CATALOG@m",
        load,
        ObjectKind::Catalog,
        "c",
        false,
    );
    check("own c, DENY USE_CATALOG@m", load, ObjectKind::Catalog, "c", true);
    let load = *Requirement::load(ObjectKind::Schema);
    check("USE_SCHEMA@m", load, ObjectKind::Schema, "c.s", false);
    check(
        "USE_CATALOG@m, USE_SCHEMA@c.s",
        load,
        ObjectKind::Schema,
        "c.s",
        true,
    );
    check("own c.s", load, ObjectKind::Schema, "c.s", false);
    check(
        "own c.s, USE_CATALOG@c, DENY USE_SCHEMA@m",
        load,
        ObjectKind::Schema,
        "c.s",
        true,
    );
    let alter = Requirement::Owner(ObjectKind::Schema);
    check(
        "USE_CATALOG@m, USE_SCHEMA@m, CREATE_SCHEMA@m",
        alter,
        ObjectKind::Schema,
        "c.s",
        false,
    );
    check("own c.s, USE_CATALOG@m", alter, ObjectKind::Schema, "c.s", true);
    let create = Requirement::CreateIn {
        parent: ObjectKind::Catalog,
        holding: &[Privilege::CreateSchema],
    };
    check("CREATE_SCHEMA@c", create, ObjectKind::Catalog, "c", false);
    check(
        "USE_CATALOG@m, CREATE_SCHEMA@c",
        create,
        ObjectKind::Catalog,
        "c",
        true,
    );
    check("own c", create, ObjectKind::Catalog, "c", true);
}

#[test]
fn nested_schemas_inherit_from_the_schemas_they_nest_in() {
    let load = *Requirement::load(ObjectKind::Schema);
    check(
        "USE_CATALOG@m, USE_SCHEMA@c.a",
        load,
        ObjectKind::Schema,
        "c.a:b:d",
        true,
    );
    check(
        "USE_CATALOG@m, USE_SCHEMA@m, DENY USE_SCHEMA@c.a:b",
        load,
        ObjectKind::Schema,
        "c.a:b:d",
        false,
    );
    check(
        "USE_CATALOG@m, USE_SCHEMA@m, DENY USE_SCHEMA@c.a:b",
        load,
        ObjectKind::Schema,
        "c.a",
        true,
    );
    check(
        "USE_CATALOG@m, own c.a",
        load,
        ObjectKind::Schema,
        "c.a:b:d",
        true,
    );
    check(
        "USE_CATALOG@m, own c.a:b:d",
        load,
        ObjectKind::Schema,
        "c.a",
        false,
    );
    let table = *Requirement::load(ObjectKind::Table);
    check(
        "USE_CATALOG@m, USE_SCHEMA@c.a, SELECT_TABLE@c.a",
        table,
        ObjectKind::Table,
        "c.a:b.t",
        true,
    );
    let create = Requirement::CreateIn {
        parent: ObjectKind::Catalog,
        holding: &[Privilege::CreateSchema],
    };
    // Creating below a schema takes traversal of that schema, like everything below it.
    check(
        "USE_CATALOG@m, CREATE_SCHEMA@m",
        create,
        ObjectKind::Schema,
        "c.a",
        false,
    );
    check(
        "USE_CATALOG@m, USE_SCHEMA@c.a, CREATE_SCHEMA@c.a",
        create,
        ObjectKind::Schema,
        "c.a",
        true,
    );
    check(
        "USE_CATALOG@m, own c.a",
        create,
        ObjectKind::Schema,
        "c.a:b",
        true,
    );
}

#[test]
fn sibling_privileges_are_independent_and_aliases_are_one() {
    let load = *Requirement::load(ObjectKind::Table);
    check(
        &format!("{WAY}, SELECT_TABLE@m, DENY MODIFY_TABLE@m"),
        load,
        ObjectKind::Table,
        "c.s.o",
        true,
    );
    check(
        &format!("{WAY}, MODIFY_TABLE@m, DENY SELECT_TABLE@m"),
        load,
        ObjectKind::Table,
        "c.s.o",
        true,
    );
    check(
        &format!("{WAY}, SELECT_TABLE@m, DENY SELECT_TABLE@c, DENY MODIFY_TABLE@m"),
        load,
        ObjectKind::Table,
        "c.s.o",
        false,
    );
    let register = Requirement::CreateIn {
        parent: ObjectKind::Schema,
        holding: &[Privilege::RegisterModel],
    };
    check(
        &format!("{WAY}, CREATE_MODEL@c"),
        register,
        ObjectKind::Schema,
        "c.s",
        true,
    );
    check(
        &format!("{WAY}, REGISTER_MODEL@m, DENY CREATE_MODEL@c"),
        register,
        ObjectKind::Schema,
        "c.s",
        false,
    );
    let link = Requirement::On {
        kind: ObjectKind::Model,
        holding: &[Privilege::LinkModelVersion],
    };
    check(
        &format!("{WAY}, CREATE_MODEL_VERSION@c.s.o"),
        link,
        ObjectKind::Model,
        "c.s.o",
        true,
    );
    check(
        &format!("{WAY}, USE_MODEL@m"),
        link,
        ObjectKind::Model,
        "c.s.o",
        false,
    );
}

#[test]
fn metalake_objects() {
    for (kind, privilege) in [
        (ObjectKind::Tag, "APPLY_TAG"),
        (ObjectKind::Policy, "APPLY_POLICY"),
        (ObjectKind::JobTemplate, "USE_JOB_TEMPLATE"),
    ] {
        let read = *Requirement::load(kind);
        check(&format!("{privilege}@m"), read, kind, "x", true);
        check(&format!("{privilege}@x"), read, kind, "x", true);
        check(&format!("{privilege}@y"), read, kind, "x", false);
        check(
            &format!("{privilege}@m, DENY {privilege}@x"),
            read,
            kind,
            "x",
            false,
        );
        check("own x", read, kind, "x", true);
        check(
            &format!("{privilege}@m"),
            Requirement::Owner(kind),
            kind,
            "x",
            false,
        );
        check("own x", Requirement::Owner(kind), kind, "x", true);
        check("own m", Requirement::Owner(kind), kind, "x", true);
    }
    check(
        "MANAGE_GRANTS@m",
        *Requirement::load(ObjectKind::Role),
        ObjectKind::Role,
        "x",
        true,
    );
    check(
        "own x",
        *Requirement::load(ObjectKind::Role),
        ObjectKind::Role,
        "x",
        true,
    );
    check(
        "CREATE_ROLE@m",
        *Requirement::load(ObjectKind::Role),
        ObjectKind::Role,
        "x",
        false,
    );
    let users = Requirement::Holds(&[Privilege::ManageUsers]);
    check("MANAGE_USERS@m", users, ObjectKind::Metalake, "m", true);
    check(
        "own m, DENY MANAGE_USERS@m",
        users,
        ObjectKind::Metalake,
        "m",
        true,
    );
    check("MANAGE_GROUPS@m", users, ObjectKind::Metalake, "m", false);
}
