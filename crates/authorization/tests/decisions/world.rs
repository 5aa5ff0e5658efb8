// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A small metalake for tests: objects get ids as they are named, and personas are written as text.

use std::collections::{BTreeMap, BTreeSet};

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::grants::{HeldPrivilege, HeldRole, Holdings, Membership, Mode, Standing};
use lakeward_authorization::{Chain, Condition, Grants, Node, Privilege};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::{Principal, PrincipalKind};

/// The caller of every test.
pub(crate) const CALLER: &str = "caller";

/// Which objects the caller owns, and what a role of the caller says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Persona {
    /// Names of owned objects.
    pub(crate) owns: BTreeSet<String>,
    /// Role, condition, privilege, name of the object.
    pub(crate) says: Vec<(i64, Condition, Privilege, String)>,
}

impl Persona {
    /// Reads `own c.s`, `USE_CATALOG@m`, `DENY USE_SCHEMA@c`, separated by commas. Names are dotted; `m` is the
    /// metalake; a tag is `tag:x`, a nested schema `c.a:b`.
    pub(crate) fn parse(text: &str) -> Self {
        let mut persona = Self::default();
        for (index, part) in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .enumerate()
        {
            if let Some(object) = part.strip_prefix("own ") {
                persona.owns.insert(object.to_owned());
                continue;
            }
            let (condition, rest) = match part.strip_prefix("DENY ") {
                Some(rest) => (Condition::Deny, rest),
                None => (Condition::Allow, part),
            };
            let (privilege, object) = rest.split_once('@').expect("PRIVILEGE@object");
            let role = 1000 + i64::try_from(index).expect("few parts");
            persona.says.push((
                role,
                condition,
                privilege.parse().expect("privilege"),
                object.to_owned(),
            ));
        }
        persona
    }

    /// The grants of the caller, a plain member, with all roles active.
    pub(crate) fn grants(&self, ids: &mut Ids) -> Grants {
        Grants::new(
            Mode::Enforced,
            &self.holdings(ids),
            &ActiveRoles::All,
            Standing::default(),
        )
        .expect("all roles")
    }

    /// What the store would read for the caller.
    pub(crate) fn holdings(&self, ids: &mut Ids) -> Holdings {
        let roles: BTreeSet<i64> = self.says.iter().map(|(role, ..)| *role).collect();
        Holdings {
            user: CALLER.to_owned(),
            membership: Membership::Member,
            groups: BTreeSet::from(["team".to_owned()]),
            roles: roles
                .into_iter()
                .map(|role| HeldRole {
                    id: ObjectId::new(role),
                    name: format!("r{role}"),
                })
                .collect(),
            privileges: self
                .says
                .iter()
                .map(|(role, condition, privilege, object)| HeldPrivilege {
                    role: ObjectId::new(*role),
                    object: ids.of(object),
                    privilege: *privilege,
                    condition: *condition,
                })
                .collect(),
        }
    }

    /// The chain of an object of `kind`, owned as this persona says.
    pub(crate) fn chain(&self, kind: ObjectKind, name: &str, ids: &mut Ids) -> Chain {
        let nodes = levels(kind, name)
            .into_iter()
            .map(|(kind, name)| Node {
                id: ids.of(&name),
                kind,
                owner: self.owns.contains(&name).then(|| Principal {
                    kind: PrincipalKind::User,
                    name: CALLER.to_owned(),
                }),
            })
            .collect();
        Chain::found(kind, nodes)
    }
}

/// Every level of a name, top first; nested schemas have one level per part.
fn levels(kind: ObjectKind, name: &str) -> Vec<(ObjectKind, String)> {
    let mut levels = vec![(ObjectKind::Metalake, "m".to_owned())];
    if kind == ObjectKind::Metalake {
        return levels;
    }
    if kind.levels() == 1 {
        levels.push((kind, name.to_owned()));
        return levels;
    }
    let parts: Vec<&str> = name.split('.').collect();
    levels.push((ObjectKind::Catalog, parts[0].to_owned()));
    if let Some(schema) = parts.get(1) {
        let names: Vec<&str> = schema.split(':').collect();
        for depth in 1..=names.len() {
            levels.push((
                ObjectKind::Schema,
                format!("{}.{}", parts[0], names[..depth].join(":")),
            ));
        }
    }
    if parts.len() > 2 {
        levels.push((
            if kind == ObjectKind::Column {
                ObjectKind::Table
            } else {
                kind
            },
            parts[..3].join("."),
        ));
    }
    levels
}

/// One id per name.
#[derive(Debug, Default)]
pub(crate) struct Ids(BTreeMap<String, i64>);

impl Ids {
    /// The id of a name.
    pub(crate) fn of(&mut self, name: &str) -> ObjectId {
        let next = i64::try_from(self.0.len()).expect("few names") + 1;
        ObjectId::new(*self.0.entry(name.to_owned()).or_insert(next))
    }
}
