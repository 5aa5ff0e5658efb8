// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who asks in the matrix: owners of each level, holders of each privilege at each level, the same with a denial at
//! each level, and those who have nothing.

use std::collections::BTreeSet;

use lakeward_authorization::Privilege;
use lakeward_metadata::kind::ObjectKind;

/// The objects of the matrix. Names are those below the metalake `m`; parents come first.
pub(crate) const OBJECTS: &[(ObjectKind, &str)] = &[
    (ObjectKind::Catalog, "c"),
    (ObjectKind::Schema, "c.s"),
    (ObjectKind::Schema, "c.s2"),
    (ObjectKind::Table, "c.s.t"),
    (ObjectKind::View, "c.s.v"),
    (ObjectKind::Fileset, "c.s.fs"),
    (ObjectKind::Model, "c.s.n"),
    (ObjectKind::Function, "c.s.f"),
    (ObjectKind::Tag, "g"),
    (ObjectKind::Policy, "p"),
    (ObjectKind::Role, "r"),
    (ObjectKind::JobTemplate, "j"),
    (ObjectKind::Job, "job-1"),
];

/// Traversal of everything.
const WAY: &[(Privilege, &str)] = &[(Privilege::UseCatalog, "m"), (Privilege::UseSchema, "m")];

/// Privileges that only together are enough for something: attaching asks for the instrument and for the object.
const TOGETHER: &[&[Privilege]] = &[
    &[Privilege::ApplyTag, Privilege::SelectTable],
    &[Privilege::ApplyPolicy, Privilege::SelectTable],
    &[Privilege::ApplyTag, Privilege::ApplyPolicy],
    &[Privilege::CreateTable, Privilege::ModifyTable],
    &[Privilege::RunJob, Privilege::UseJobTemplate],
];

/// What one caller is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Persona {
    pub(crate) label: String,
    /// The name of the owned object; the metalake is `m`.
    pub(crate) owns: Option<&'static str>,
    pub(crate) allowed: Vec<(Privilege, &'static str)>,
    pub(crate) denied: Vec<(Privilege, &'static str)>,
}

impl Persona {
    fn with(
        label: String,
        allowed: Vec<(Privilege, &'static str)>,
        denied: Vec<(Privilege, &'static str)>,
    ) -> Self {
        Self {
            label,
            owns: None,
            allowed,
            denied,
        }
    }
}

/// Everybody who holds something, for the privileges that some endpoint requires. `U` in a label is traversal of the
/// whole metalake.
pub(crate) fn personas(required: &BTreeSet<Privilege>) -> Vec<Persona> {
    let mut personas = vec![
        Persona::with("member".to_owned(), Vec::new(), Vec::new()),
        Persona::with("U".to_owned(), WAY.to_vec(), Vec::new()),
    ];
    let levels = std::iter::once((ObjectKind::Metalake, "m")).chain(OBJECTS.iter().copied());
    for (kind, name) in levels.clone() {
        personas.push(Persona {
            label: format!("owner of {}", shown(kind, name)),
            owns: Some(name),
            ..Persona::default()
        });
        personas.push(Persona {
            label: format!("U + owner of {}", shown(kind, name)),
            owns: Some(name),
            allowed: WAY.to_vec(),
            denied: Vec::new(),
        });
    }
    for together in TOGETHER {
        let names: Vec<&str> = together.iter().map(|privilege| privilege.as_str()).collect();
        let mut allowed = WAY.to_vec();
        allowed.extend(together.iter().map(|privilege| (*privilege, "m")));
        personas.push(Persona::with(
            format!("U + {} @m", names.join(" + ")),
            allowed,
            Vec::new(),
        ));
    }
    // Whoever moves a table owns it and may create tables where it goes.
    let mut allowed = WAY.to_vec();
    allowed.push((Privilege::CreateTable, "c.s2"));
    personas.push(Persona {
        label: "U + owner of c.s.t + CREATE_TABLE@c.s2".to_owned(),
        owns: Some("c.s.t"),
        allowed,
        denied: Vec::new(),
    });
    for privilege in required {
        let privilege = *privilege;
        for (kind, name) in levels.clone().filter(|(kind, _)| privilege.binds_to(*kind)) {
            let level = shown(kind, name);
            let mut allowed = way_without(privilege);
            allowed.push((privilege, name));
            personas.push(Persona::with(
                format!("U + {privilege}@{level}"),
                allowed,
                Vec::new(),
            ));
            let mut allowed = way_without(privilege);
            allowed.push((privilege, "m"));
            personas.push(Persona::with(
                format!("U + {privilege}@m, denied@{level}"),
                allowed,
                vec![(privilege, name)],
            ));
        }
    }
    personas
}

/// Traversal, but for the privilege that a persona holds at a level of its own.
fn way_without(privilege: Privilege) -> Vec<(Privilege, &'static str)> {
    WAY.iter()
        .copied()
        .filter(|(other, _)| *other != privilege)
        .collect()
}

fn shown(kind: ObjectKind, name: &str) -> String {
    if kind.levels() == 1 && kind != ObjectKind::Metalake && kind != ObjectKind::Catalog {
        format!("{} {name}", kind.lower_case())
    } else {
        name.to_owned()
    }
}

/// The kind of a name of the matrix.
pub(crate) fn kind_of(name: &str) -> ObjectKind {
    OBJECTS
        .iter()
        .find(|(_, other)| *other == name)
        .map_or(ObjectKind::Metalake, |(kind, _)| *kind)
}
