// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What was recorded of the original server, persona by persona, against our decisions. Lists are compared by their
//! gate. Where we mean to differ, the difference is listed with its reason, and an unlisted one fails.

use std::collections::BTreeSet;

use lakeward_authorization::decide::decide;
use lakeward_authorization::grants::{Grants, Membership, Mode, Standing};
use lakeward_authorization::target::Shape;
use lakeward_authorization::{Privilege, Requirement, Target};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::kind::ObjectKind as Kind;
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::world::{CALLER, Ids, Persona};

const RECORDED: &str = include_str!("../../../../fixtures/authorization/recorded-matrix.csv");

/// Differences we mean (DESIGN.md, section 0): the operation, a part of the persona, our answer, why.
const MEANT: &[(&str, &str, bool, &str)] = &[
    (
        "load view",
        "",
        false,
        "views are checked like any leaf; the original checks nothing",
    ),
    (
        "list views",
        "",
        false,
        "views are checked like any leaf; the original checks nothing",
    ),
    (
        "alter view",
        "",
        false,
        "views are checked like any leaf; the original checks nothing",
    ),
    (
        "create view",
        "",
        false,
        "views are checked like any leaf; the original checks nothing",
    ),
    (
        "drop view",
        "",
        false,
        "views are checked like any leaf; the original checks nothing",
    ),
    ("enable catalog", "", false, "enabling a catalog alters it: owner"),
    (
        "link version",
        "LINK_MODEL_VERSION",
        true,
        "LINK_MODEL_VERSION with traversal is enough",
    ),
    (
        "link version",
        "CREATE_MODEL_VERSION",
        true,
        "LINK_MODEL_VERSION with traversal is enough",
    ),
    (
        "roles of fileset",
        "",
        false,
        "listing the roles of an object first needs access to the object",
    ),
];

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

/// Reads a recorded persona: grants are joined by `+`; `U` is traversal of the whole metalake.
fn persona(recorded: &str) -> Persona {
    const WAY: &str = "USE_CATALOG@m, USE_SCHEMA@m";
    let text = match recorded {
        "(member, no grant)" => String::new(),
        "admin (metalake owner)" => "own m".to_owned(),
        "USE_CATALOG+USE_SCHEMA@metalake (=U)" => WAY.to_owned(),
        "READ_FILESET allow@metalake deny@fileset f1" => {
            format!("{WAY}, READ_FILESET@m, DENY READ_FILESET@files.s1.f1")
        }
        "READ_FILESET deny@metalake allow@fileset f1" => {
            format!("{WAY}, DENY READ_FILESET@m, READ_FILESET@files.s1.f1")
        }
        "READ_FILESET deny@catalog allow@schema" => {
            format!("{WAY}, DENY READ_FILESET@files, READ_FILESET@files.s1")
        }
        "USE_CATALOG allow@metalake deny@catalog + READ_FILESET@schema" => {
            format!("{WAY}, DENY USE_CATALOG@files, READ_FILESET@files.s1")
        }
        "WRITE_FILESET deny@metalake + READ_FILESET@schema" => {
            format!("{WAY}, DENY WRITE_FILESET@m, READ_FILESET@files.s1")
        }
        grants => {
            let part = |part: &str| match part.trim() {
                "U" => WAY.to_owned(),
                "no grant" => String::new(),
                part => match part.strip_prefix("owner of ") {
                    Some(object) => format!("own {}", object.split_once(' ').expect("kind and name").1),
                    None => {
                        let (privilege, level) = part.split_once('@').expect("privilege and level");
                        let level = level.strip_suffix(" only").unwrap_or(level);
                        format!(
                            "{privilege}@{}",
                            level.split_once(' ').map_or("m", |(_, name)| name)
                        )
                    }
                },
            };
            let parts: Vec<String> = grants.split(" + ").map(part).collect();
            parts.join(", ")
        }
    };
    Persona::parse(&text)
}

fn decided(recorded: &str, name: &str) -> Option<bool> {
    let (requirement, kind, object) = operation(name)?;
    let mut ids = Ids::default();
    let persona = persona(recorded);
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
    let mut rows = RECORDED.lines().map(cells);
    let header = rows.next().expect("header");
    let mut used = BTreeSet::new();
    let (mut compared, mut wrong) = (0, Vec::new());
    for row in rows {
        for (name, cell) in header.iter().zip(&row).skip(1) {
            let Some(recorded) = (match cell.get(..3) {
                Some("200") => Some(true),
                Some("403") => Some(false),
                _ => None,
            }) else {
                continue;
            };
            let Some(ours) = decided(&row[0], name) else {
                panic!("`{name}` is recorded but not compared");
            };
            compared += 1;
            if ours == recorded {
                continue;
            }
            let meant = MEANT.iter().position(|(operation, part, answer, _)| {
                operation == name && row[0].contains(part) && *answer == ours
            });
            match meant {
                Some(index) => {
                    used.insert(index);
                }
                None => wrong.push(format!("{} / {name}: recorded {recorded}, ours {ours}", row[0])),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared > 5000, "only {compared} cells were compared");
    assert_eq!(
        used.len(),
        MEANT.len(),
        "a listed difference no longer occurs: {used:?}"
    );
}

#[test]
fn every_kind_of_the_recording_is_one_of_ours() {
    for name in RECORDED.lines().map(cells).next().expect("header").iter().skip(1) {
        let (_, kind, _) = operation(name).unwrap_or_else(|| panic!("`{name}` is unknown"));
        assert!(ObjectKind::ALL.contains(&kind));
    }
}

/// Cells of one line; names with commas are quoted.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            character => cells.last_mut().expect("one").push(character),
        }
    }
    cells
}
