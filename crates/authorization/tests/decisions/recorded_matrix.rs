// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What was recorded of the original server, persona by persona, against our decisions. Lists are compared by their
//! gate.

use lakeward_authorization::decide::decide;
use lakeward_authorization::grants::{Grants, Membership, Mode, Standing};
use lakeward_authorization::target::Shape;
use lakeward_authorization::{Privilege, Requirement, Target};
use lakeward_metadata::kind::ObjectKind as Kind;
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::recording::{self, Comparison};
use crate::world::{CALLER, Ids, Persona};

/// The demand of a recorded operation, and the object it was made on.
fn operation(name: &str) -> Option<(Requirement, Kind, &'static str)> {
    const fn on(kind: Kind, holding: &'static [Privilege]) -> Requirement {
        Requirement::On { kind, holding }
    }
    const fn create(parent: Kind, holding: &'static [Privilege]) -> Requirement {
        Requirement::CreateIn { parent, holding }
    }
    const fn holds(holding: &'static [Privilege]) -> Requirement {
        Requirement::Holds(holding)
    }
    let load = |kind| *Requirement::load(kind);
    let own = Requirement::Owner;
    Some(match name {
        "load metalake" | "list catalogs" | "list tags" | "list policys" | "list users" | "list groups"
        | "list roles" | "list templates" | "list runs" => (Requirement::Member, Kind::Metalake, "m"),
        "alter metalake" | "enable metalake" => (own(Kind::Metalake), Kind::Metalake, "m"),
        "load catalog" => (load(Kind::Catalog), Kind::Catalog, "files"),
        "alter catalog" | "enable catalog" => (own(Kind::Catalog), Kind::Catalog, "files"),
        "create catalog" | "test connection" => (holds(&[Privilege::CreateCatalog]), Kind::Metalake, "m"),
        // Drops were recorded on objects made for the purpose by the administrator, in the same place.
        "drop catalog" => (own(Kind::Catalog), Kind::Catalog, "other"),
        "list schemas files" => (load(Kind::Catalog), Kind::Catalog, "files"),
        "load schema files" => (load(Kind::Schema), Kind::Schema, "files.s1"),
        "alter schema files" => (own(Kind::Schema), Kind::Schema, "files.s1"),
        "create schema files" => (
            create(Kind::Catalog, &[Privilege::CreateSchema]),
            Kind::Catalog,
            "files",
        ),
        "drop schema files" => (own(Kind::Schema), Kind::Schema, "files.other"),
        "list schemas ice" => (load(Kind::Catalog), Kind::Catalog, "ice"),
        "load schema ice" => (load(Kind::Schema), Kind::Schema, "ice.db1"),
        "alter schema ice" => (own(Kind::Schema), Kind::Schema, "ice.db1"),
        "create schema ice" => (
            create(Kind::Catalog, &[Privilege::CreateSchema]),
            Kind::Catalog,
            "ice",
        ),
        "drop schema ice" => (own(Kind::Schema), Kind::Schema, "ice.other"),
        "list filesets" => (load(Kind::Schema), Kind::Schema, "files.s1"),
        "load fileset" | "fileset location" | "fileset files" | "fileset credentials" => {
            (load(Kind::Fileset), Kind::Fileset, "files.s1.f1")
        }
        "alter fileset" => (
            on(Kind::Fileset, &[Privilege::WriteFileset]),
            Kind::Fileset,
            "files.s1.f1",
        ),
        "create fileset" => (
            create(Kind::Schema, &[Privilege::CreateFileset]),
            Kind::Schema,
            "files.s1",
        ),
        "drop fileset" => (own(Kind::Fileset), Kind::Fileset, "files.s1.other"),
        "list models" => (load(Kind::Schema), Kind::Schema, "models.s1"),
        "load model" | "list versions" | "get version" | "get version uri" => {
            (load(Kind::Model), Kind::Model, "models.s1.m1")
        }
        "alter model" | "alter version" | "delete version" => (own(Kind::Model), Kind::Model, "models.s1.m1"),
        "create model" => (
            create(Kind::Schema, &[Privilege::RegisterModel]),
            Kind::Schema,
            "models.s1",
        ),
        "drop model" => (own(Kind::Model), Kind::Model, "models.s1.other"),
        "link version" => (
            on(Kind::Model, &[Privilege::LinkModelVersion]),
            Kind::Model,
            "models.s1.m1",
        ),
        "list tables" => (load(Kind::Schema), Kind::Schema, "ice.db1"),
        "load table" | "list stats" | "partition stats" => (load(Kind::Table), Kind::Table, "ice.db1.t1"),
        "alter table" | "update stats" | "drop stats" => (
            on(Kind::Table, &[Privilege::ModifyTable]),
            Kind::Table,
            "ice.db1.t1",
        ),
        "create table" => (
            create(Kind::Schema, &[Privilege::CreateTable]),
            Kind::Schema,
            "ice.db1",
        ),
        "drop table" => (own(Kind::Table), Kind::Table, "ice.db1.other"),
        "list views" => (load(Kind::Schema), Kind::Schema, "ice.db1"),
        "load view" => (load(Kind::View), Kind::View, "ice.db1.vfix"),
        "alter view" => (own(Kind::View), Kind::View, "ice.db1.vfix"),
        "create view" => (
            create(Kind::Schema, &[Privilege::CreateView]),
            Kind::Schema,
            "ice.db1",
        ),
        "drop view" => (own(Kind::View), Kind::View, "ice.db1.other"),
        "list topics" => (load(Kind::Schema), Kind::Schema, "kaf.default"),
        "load topic" => (load(Kind::Topic), Kind::Topic, "kaf.default.t1"),
        "alter topic" => (
            on(Kind::Topic, &[Privilege::ProduceTopic]),
            Kind::Topic,
            "kaf.default.t1",
        ),
        "create topic" => (
            create(Kind::Schema, &[Privilege::CreateTopic]),
            Kind::Schema,
            "kaf.default",
        ),
        "drop topic" => (own(Kind::Topic), Kind::Topic, "kaf.default.other"),
        "list functions" => (load(Kind::Schema), Kind::Schema, "ice.db1"),
        "load function" => (load(Kind::Function), Kind::Function, "ice.db1.add_one"),
        "alter function" => (
            on(Kind::Function, &[Privilege::ModifyFunction]),
            Kind::Function,
            "ice.db1.add_one",
        ),
        "create function" => (
            create(Kind::Schema, &[Privilege::RegisterFunction]),
            Kind::Schema,
            "ice.db1",
        ),
        "drop function" => (own(Kind::Function), Kind::Function, "ice.db1.other"),
        "load tag" | "objects of tag" => (load(Kind::Tag), Kind::Tag, "pii"),
        "alter tag" => (own(Kind::Tag), Kind::Tag, "pii"),
        "create tag" => (holds(&[Privilege::CreateTag]), Kind::Metalake, "m"),
        "drop tag" => (own(Kind::Tag), Kind::Tag, "other tag"),
        "tag a fileset" => (Requirement::Instruments, Kind::Tag, "pii"),
        "list tags of fileset" | "list policies of fileset" | "get owner of fileset" | "roles of fileset" => {
            (Requirement::AccessTo, Kind::Fileset, "files.s1.f1")
        }
        "load policy" | "objects of policy" => (load(Kind::Policy), Kind::Policy, "ret"),
        "alter policy" | "enable policy" => (own(Kind::Policy), Kind::Policy, "ret"),
        "create policy" => (holds(&[Privilege::CreatePolicy]), Kind::Metalake, "m"),
        "drop policy" => (own(Kind::Policy), Kind::Policy, "other policy"),
        "attach policy" => (Requirement::Instruments, Kind::Policy, "ret"),
        "get user" => (
            Requirement::Any(const { &[holds(&[Privilege::ManageUsers]), Requirement::Named] }),
            Kind::Metalake,
            "m",
        ),
        "get group" => (
            Requirement::Any(const { &[holds(&[Privilege::ManageGroups]), Requirement::Named] }),
            Kind::Metalake,
            "m",
        ),
        "add user" | "remove user" => (holds(&[Privilege::ManageUsers]), Kind::Metalake, "m"),
        "add group" | "remove group" => (holds(&[Privilege::ManageGroups]), Kind::Metalake, "m"),
        "get role" => (load(Kind::Role), Kind::Role, "reader"),
        "add role" => (holds(&[Privilege::CreateRole]), Kind::Metalake, "m"),
        "remove role" => (own(Kind::Role), Kind::Role, "other role"),
        "grant role to user" | "revoke role from user" | "override role" => {
            (holds(&[Privilege::ManageGrants]), Kind::Metalake, "m")
        }
        // Recorded on another fileset than the one that personas own or hold grants on.
        "grant privilege" | "revoke privilege" => {
            (Requirement::ManageGrants, Kind::Fileset, "files.s1.other")
        }
        "set owner of fileset" => (Requirement::SetOwner, Kind::Fileset, "files.s1.other"),
        "get template" => (load(Kind::JobTemplate), Kind::JobTemplate, "ok"),
        "register template" => (holds(&[Privilege::RegisterJobTemplate]), Kind::Metalake, "m"),
        "alter template" => (own(Kind::JobTemplate), Kind::JobTemplate, "ok"),
        "delete template" => (own(Kind::JobTemplate), Kind::JobTemplate, "other template"),
        "run job" => (
            Requirement::All(const { &[holds(&[Privilege::RunJob]), Requirement::Instruments] }),
            Kind::JobTemplate,
            "ok",
        ),
        _ => return None,
    })
}

fn decided(holds: &str, name: &str) -> Option<bool> {
    let (requirement, kind, object) = operation(name)?;
    let mut ids = Ids::default();
    let persona = Persona::parse(holds);
    let grants: Grants = persona.grants(&mut ids);
    assert_eq!(
        (grants.membership(), grants.mode()),
        (Membership::Member, Mode::Enforced)
    );
    assert_eq!(grants.standing(), Standing::default());
    let chain = persona.chain(kind, object, &mut ids);
    let target = match name {
        "tag a fileset" | "attach policy" => Target::of(Shape::Instruments {
            object: persona.chain(Kind::Fileset, "files.s1.f1", &mut ids),
            instruments: vec![chain],
        }),
        "run job" => Target::of(Shape::Instruments {
            object: persona.chain(Kind::Metalake, "m", &mut ids),
            instruments: vec![chain],
        }),
        "get user" | "get group" => Target::of(Shape::Principal {
            metalake: chain,
            principal: Principal {
                kind: if name == "get user" {
                    PrincipalKind::User
                } else {
                    PrincipalKind::Group
                },
                name: format!("not {CALLER}"),
            },
        }),
        _ => Target::object(chain),
    };
    Some(decide(&requirement, &target, &grants).is_allowed())
}

#[test]
fn decisions_are_those_of_the_original_but_for_listed_differences() {
    let mut comparison = Comparison::default();
    for cell in recording::cells() {
        let ours = decided(cell.holds, &cell.operation)
            .unwrap_or_else(|| panic!("`{}` is recorded but not compared", cell.operation));
        comparison.add(&cell, ours);
    }
    comparison.end();
}
