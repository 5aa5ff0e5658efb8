// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! An explanation as JSON, with the names behind the ids.

use std::collections::{BTreeSet, HashMap};

use lakeward_authorization::active_roles::ActiveRoles;
use lakeward_authorization::decide::{Decision, Ground, Objection};
use lakeward_authorization::explain::{Explanation, Look, LookedAt, Owned, Weighing};
use lakeward_authorization::{Condition, Privilege};
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::{Principal, PrincipalKind};
use lakeward_store::{ChainRow, Saying, Snapshot};
use serde_json::{Map, Value, json};

use crate::error::OperationError;

/// What it takes to put names to an explanation.
pub(super) struct Words<'a> {
    names: HashMap<ObjectId, MetadataObject>,
    sayings: HashMap<ObjectId, Vec<Saying>>,
    active: &'a ActiveRoles,
    shows_group: &'a (dyn Fn(&str) -> bool + Sync),
}

/// Of whom roles are looked up.
pub(super) struct Holder<'a> {
    pub(super) metalake: ObjectId,
    pub(super) user: &'a str,
    pub(super) groups: &'a BTreeSet<String>,
    /// Which of its roles contribute what they allow.
    pub(super) active: &'a ActiveRoles,
    /// Whether a group may be named.
    pub(super) shows_group: &'a (dyn Fn(&str) -> bool + Sync),
}

impl<'a> Words<'a> {
    /// No roles are named.
    pub(super) fn without_roles(
        names: HashMap<ObjectId, MetadataObject>,
        active: &'a ActiveRoles,
        shows_group: &'a (dyn Fn(&str) -> bool + Sync),
    ) -> Self {
        Self {
            names,
            sayings: HashMap::new(),
            active,
            shows_group,
        }
    }

    /// Looks up the roles behind what is said of these objects: one statement for all, and none for none.
    pub(super) async fn look_up(
        snapshot: &mut Snapshot,
        names: HashMap<ObjectId, MetadataObject>,
        holder: &Holder<'a>,
        spoken_of: &[ObjectId],
    ) -> Result<Self, OperationError> {
        let mut words = Self::without_roles(names, holder.active, holder.shows_group);
        if !spoken_of.is_empty() {
            words.sayings = snapshot
                .sayings(holder.metalake, holder.user, holder.groups, spoken_of)
                .await?;
        }
        Ok(words)
    }

    /// The decision with what it rests on: of a yes the ownership, or the grants of the privilege and of the way; of a no
    /// the denials that won, what is missing of the way, and what would do.
    pub(super) fn decision(&self, explanation: &Explanation) -> Map<String, Value> {
        let mut told = Map::new();
        let mut tell = |member: &str, value: Value| drop(told.insert(member.to_owned(), value));
        tell("reason", json!(reason(&explanation.decision)));
        let Some(decisive) = explanation.decisive() else {
            return told;
        };
        tell("rule", json!(decisive.requirement.to_string()));
        let Some(look) = decisive.looks.last() else {
            return told;
        };
        match decisive.decision {
            Decision::Allowed(ground) => {
                tell("owned", self.ownership(look, ground));
                tell("granted", self.granted(look, ground));
            }
            Decision::Refused(objection) => {
                let missing: Vec<&str> = look.missing().map(|one| one.privilege.as_str()).collect();
                // An owner of the schema reaches what is in it by what leads to the schema.
                tell("missing", json!(missing));
                let needs: Vec<&str> = look.holding.iter().map(|one| one.privilege.as_str()).collect();
                tell("needs", json!(needs));
                tell("denied", self.denied(look, objection));
            }
        }
        told
    }

    /// Everything that was weighed.
    pub(super) fn weighing(&self, weighing: &Weighing) -> Value {
        let privileges: Vec<Value> = weighing
            .looks
            .iter()
            .flat_map(|look| {
                let told = |purpose: &'static str| move |one| self.looked_at(one, purpose);
                let way = look.way.iter().map(told("way"));
                way.chain(look.holding.iter().map(told("object")))
            })
            .collect();
        let owned: Vec<Value> = weighing
            .looks
            .iter()
            .flat_map(|look| &look.owned)
            .map(|owned| self.owned(owned))
            .collect();
        let parts: Vec<Value> = weighing.parts.iter().map(|part| self.weighing(part)).collect();
        json!({
            "rule": weighing.requirement.to_string(),
            "allowed": weighing.decision.is_allowed(),
            "reason": reason(&weighing.decision),
            "owned": owned,
            "privileges": privileges,
            "parts": parts,
        })
    }

    fn looked_at(&self, one: &LookedAt, purpose: &str) -> Value {
        json!({
            "privilege": one.privilege.as_str(),
            "for": purpose,
            "held": one.is_held,
            "allowed": self.said(one.privilege, Condition::Allow, &one.allowed),
            "denied": self.said(one.privilege, Condition::Deny, &one.denied),
        })
    }

    fn ownership(&self, look: &Look, ground: Ground) -> Value {
        let Ground::Owns { id, .. } = ground else {
            return json!([]);
        };
        let owned: Vec<Value> = look
            .owned
            .iter()
            .filter(|owned| owned.id == id)
            .map(|owned| self.owned(owned))
            .collect();
        json!(owned)
    }

    /// The grants of the way and of the privilege. The owner of a metalake or catalog needs no way, the owner of a schema
    /// the one to the schema.
    fn granted(&self, look: &Look, ground: Ground) -> Value {
        let counts = |privilege: Privilege| match ground {
            Ground::Owns {
                kind: ObjectKind::Metalake | ObjectKind::Catalog,
                ..
            } => false,
            Ground::Owns {
                kind: ObjectKind::Schema,
                ..
            } => privilege == Privilege::UseCatalog,
            Ground::Owns { .. }
            | Ground::Holds { .. }
            | Ground::Open
            | Ground::Unchecked(_)
            | Ground::ServiceAdministrator
            | Ground::Operator
            | Ground::Provisioner
            | Ground::Member
            | Ground::Named => true,
        };
        let by_privilege = look.holding.iter().filter(|one| match ground {
            Ground::Holds { privilege, .. } => one.privilege == privilege,
            Ground::Owns { .. }
            | Ground::Open
            | Ground::Unchecked(_)
            | Ground::ServiceAdministrator
            | Ground::Operator
            | Ground::Provisioner
            | Ground::Member
            | Ground::Named => false,
        });
        let way = look.way.iter().filter(|one| counts(one.privilege));
        let granted: Vec<Value> = way
            .chain(by_privilege)
            .flat_map(|one| self.said(one.privilege, Condition::Allow, &one.allowed))
            .collect();
        json!(granted)
    }

    /// What is denied of the way, or where the way is open, of the privileges that would do.
    fn denied(&self, look: &Look, objection: Objection) -> Value {
        let of = |list: &[LookedAt]| -> Vec<Value> {
            list.iter()
                .flat_map(|one| self.said(one.privilege, Condition::Deny, &one.denied))
                .collect()
        };
        json!(match objection {
            Objection::NotReached { .. } => of(&look.way),
            Objection::Denied { .. } => of(&look.holding),
            Objection::NotServiceAdministrator
            | Objection::NotOperator
            | Objection::NotProvisioner
            | Objection::NotMember
            | Objection::Suspended
            | Objection::NotNamed
            | Objection::NotOwner { .. }
            | Objection::NotGranted { .. }
            | Objection::NothingNamed => Vec::new(),
        })
    }

    fn owned(&self, owned: &Owned) -> Value {
        json!({ "object": self.object(owned.id), "owner": self.principal(&owned.owner) })
    }

    /// What roles say of a privilege on these objects.
    fn said(&self, privilege: Privilege, condition: Condition, ids: &[ObjectId]) -> Vec<Value> {
        ids.iter()
            .flat_map(|id| {
                let sayings = self.sayings.get(id).into_iter().flatten();
                let matching = sayings.filter(move |saying| {
                    saying.says.privilege.canonical() == privilege.canonical()
                        && saying.says.condition == condition
                        && (condition == Condition::Deny || self.active.includes(&saying.role))
                });
                matching.map(|saying| self.saying(*id, saying))
            })
            .collect()
    }

    /// Everything that roles say of an object.
    pub(super) fn all_said(&self, id: ObjectId) -> Vec<Value> {
        let sayings = self.sayings.get(&id).into_iter().flatten();
        sayings.map(|saying| self.saying(id, saying)).collect()
    }

    fn saying(&self, id: ObjectId, saying: &Saying) -> Value {
        json!({
            "privilege": saying.says.privilege.as_str(),
            "condition": saying.says.condition.as_str(),
            "object": self.object(id),
            "role": saying.role,
            "through": self.principal(&saying.through),
        })
    }

    /// An object of the chain.
    pub(super) fn object(&self, id: ObjectId) -> Value {
        self.names.get(&id).map_or(Value::Null, object)
    }

    /// A user, or a group; the name of a group is null where it may not be told.
    pub(super) fn principal(&self, principal: &Principal) -> Value {
        match principal.kind {
            PrincipalKind::User => json!({ "type": "user", "name": principal.name }),
            PrincipalKind::Group => {
                let name = (self.shows_group)(&principal.name).then_some(&principal.name);
                json!({ "type": "group", "name": name })
            }
        }
    }
}

/// An object by type and full name.
pub(super) fn object(object: &MetadataObject) -> Value {
    json!({ "type": object.kind.lower_case(), "fullName": object.full_name() })
}

/// What a decision rests on, in words.
pub(super) fn reason(decision: &Decision) -> String {
    match decision {
        Decision::Allowed(ground) => ground.to_string(),
        Decision::Refused(objection) => objection.to_string(),
    }
}

/// The full name of everything on a chain.
pub(super) fn names_of<'r>(
    rows: impl IntoIterator<Item = &'r ChainRow>,
    separator: &str,
) -> HashMap<ObjectId, MetadataObject> {
    let mut names = HashMap::new();
    let mut path: Vec<String> = Vec::new();
    let mut above = ObjectKind::Metalake;
    for row in rows {
        let (kind, name) = (row.object.kind, &row.object.name);
        match path.last_mut() {
            Some(schema) if kind == ObjectKind::Schema && above == ObjectKind::Schema => {
                schema.push_str(separator);
                schema.push_str(name);
            }
            Some(_) | None => path.push(name.clone()),
        }
        let object = MetadataObject {
            kind,
            path: path.clone(),
        };
        names.insert(row.object.id, object);
        if kind == ObjectKind::Metalake {
            path.clear();
        }
        above = kind;
    }
    names
}
