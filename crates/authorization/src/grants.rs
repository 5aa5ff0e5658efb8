// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Everything one subject holds in one metalake, from one snapshot.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::active_roles::{ActiveRoles, RoleNotHeld};
use crate::condition::Condition;
use crate::privilege::Privilege;

/// How the server treats checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Every check applies.
    Enforced,
    /// Authorization is on, but every check passes (`PassThroughAuthorizer`, for migration).
    PassThrough,
    /// `gravitino.authorization.enable` is false.
    Off,
}

/// What a subject is to a metalake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Membership {
    /// No user of the metalake has the subject's name. Belonging to a group of the metalake does not suffice.
    Outsider,
    /// A user whose access is suspended (`enabled` is false).
    Suspended,
    /// A user.
    Member,
}

/// What the server's configuration says of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Standing {
    /// Listed in `gravitino.authorization.serviceAdmins`.
    pub service_administrator: bool,
    /// Listed in `lakeward.operators` (by default the service administrators).
    pub operator: bool,
    /// May push users and groups: a service administrator, or listed in `lakeward.scim.provisioners`.
    pub provisioner: bool,
}

/// A role that the subject holds, directly or through a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HeldRole {
    /// Its identity.
    pub id: ObjectId,
    /// Its name.
    pub name: String,
}

/// One privilege of a held role on an existing object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeldPrivilege {
    /// The role.
    pub role: ObjectId,
    /// The object it is bound to. Bindings to names that never existed are not listed: they grant nothing.
    pub object: ObjectId,
    /// The privilege.
    pub privilege: Privilege,
    /// Its condition.
    pub condition: Condition,
}

/// What the store read of a subject in a metalake; the raw material of [`Grants`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holdings {
    /// The subject's user name.
    pub user: String,
    /// What the subject is to the metalake.
    pub membership: Membership,
    /// The subject's groups that exist in the metalake.
    pub groups: BTreeSet<String>,
    /// Roles held directly or through those groups, each once.
    pub roles: Vec<HeldRole>,
    /// What these roles say.
    pub privileges: Vec<HeldPrivilege>,
}

/// The objects on which one privilege is allowed, and those on which it is denied.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reach {
    pub(crate) allowed: Arc<HashSet<ObjectId>>,
    pub(crate) denied: Arc<HashSet<ObjectId>>,
}

/// Everything a subject holds in one metalake, ready to decide: a decision costs a few look-ups per level of the
/// object's chain, however many grants there are.
#[derive(Debug, Clone)]
pub struct Grants {
    mode: Mode,
    user: String,
    membership: Membership,
    groups: Arc<BTreeSet<String>>,
    standing: Standing,
    roles: Arc<HashSet<ObjectId>>,
    reach: HashMap<Privilege, Reach>,
}

static NOWHERE: LazyLock<Reach> = LazyLock::new(Reach::default);

impl Grants {
    /// Arranges what was read. Only active roles contribute `ALLOW`s; every held role contributes its `DENY`s.
    ///
    /// # Errors
    /// [`RoleNotHeld`] when a role is named active that is not held.
    pub fn new(
        mode: Mode,
        holdings: &Holdings,
        active: &ActiveRoles,
        standing: Standing,
    ) -> Result<Self, RoleNotHeld> {
        if let ActiveRoles::Named(names) = active {
            let held: HashSet<&str> = holdings.roles.iter().map(|role| role.name.as_str()).collect();
            if let Some(name) = names.iter().find(|name| !held.contains(name.as_str())) {
                return Err(RoleNotHeld(name.clone()));
            }
        }
        let roles: HashSet<ObjectId> = holdings.roles.iter().map(|role| role.id).collect();
        let contributing: HashSet<ObjectId> = holdings
            .roles
            .iter()
            .filter(|role| active.includes(&role.name))
            .map(|role| role.id)
            .collect();
        let mut sets: HashMap<Privilege, (HashSet<ObjectId>, HashSet<ObjectId>)> = HashMap::new();
        for held in &holdings.privileges {
            let (allowed, denied) = sets.entry(held.privilege.canonical()).or_default();
            match held.condition {
                // A role that is not among the held ones contributes nothing, whatever the rows say.
                Condition::Allow if contributing.contains(&held.role) => {
                    allowed.insert(held.object);
                }
                Condition::Allow => {}
                Condition::Deny => {
                    denied.insert(held.object);
                }
            }
        }
        let reach = sets
            .into_iter()
            .map(|(privilege, (allowed, denied))| {
                let reach = Reach {
                    allowed: Arc::new(allowed),
                    denied: Arc::new(denied),
                };
                (privilege, reach)
            })
            .collect();
        Ok(Self {
            mode,
            user: holdings.user.clone(),
            membership: holdings.membership,
            groups: Arc::new(holdings.groups.clone()),
            standing,
            roles: Arc::new(roles),
            reach,
        })
    }

    /// The grants of a request that concerns no metalake: only the server's configuration counts.
    pub fn outside_metalakes(mode: Mode, user: &str, standing: Standing) -> Self {
        Self {
            mode,
            user: user.to_owned(),
            membership: Membership::Outsider,
            groups: Arc::default(),
            standing,
            roles: Arc::default(),
            reach: HashMap::new(),
        }
    }

    /// How the server treats checks.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The subject's user name.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// What the subject is to the metalake.
    pub fn membership(&self) -> Membership {
        self.membership
    }

    /// The subject's groups that exist in the metalake.
    pub fn groups(&self) -> &BTreeSet<String> {
        &self.groups
    }

    /// What the server's configuration says of the subject.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// Whether `principal` is the subject, or one of its groups.
    pub fn is(&self, principal: &Principal) -> bool {
        match principal.kind {
            PrincipalKind::User => principal.name == self.user,
            PrincipalKind::Group => self.groups.contains(&principal.name),
        }
    }

    /// Whether the subject holds this role, active or not.
    pub fn holds_role(&self, role: ObjectId) -> bool {
        self.roles.contains(&role)
    }

    pub(crate) fn shared_groups(&self) -> Arc<BTreeSet<String>> {
        Arc::clone(&self.groups)
    }

    pub(crate) fn shared_roles(&self) -> Arc<HashSet<ObjectId>> {
        Arc::clone(&self.roles)
    }

    pub(crate) fn reach(&self, privilege: Privilege) -> &Reach {
        self.reach.get(&privilege.canonical()).unwrap_or(&NOWHERE)
    }
}
