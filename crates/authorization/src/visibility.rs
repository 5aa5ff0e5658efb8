// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What of a list a subject may see, as sets: one look-up per item, no decision per item.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::principal::{Principal, PrincipalKind};

use crate::chain::Chain;
use crate::decide::Standpoint;
use crate::grants::{Grants, Membership, Mode};
use crate::privilege::Privilege;
use crate::requirement::Requirement;

/// Which children of one parent may be shown. Made once per list, from the requirement that each item must meet; it
/// gives the same answers as deciding that requirement item by item.
#[derive(Debug, Clone)]
pub struct Visibility {
    everything: bool,
    by_owner: bool,
    by_name: bool,
    holdings: Vec<Holding>,
    listed: Arc<HashSet<ObjectId>>,
    user: Arc<str>,
    groups: Arc<BTreeSet<String>>,
    roles: Arc<HashSet<ObjectId>>,
}

/// Everything that may be shown is one of these, or owned by one of these.
#[derive(Debug, Clone)]
pub struct Candidates<'a> {
    /// Sets of objects.
    pub ids: Vec<&'a HashSet<ObjectId>>,
    /// The subject and its groups, where ownership shows an item.
    pub owners: Vec<Principal>,
}

/// A privilege that shows items and is not denied above them.
#[derive(Debug, Clone)]
struct Holding {
    allowed_above: bool,
    allowed: Arc<HashSet<ObjectId>>,
    denied: Arc<HashSet<ObjectId>>,
}

impl Visibility {
    /// Arranges what `shows` and the grants say of the children of `parent`, or of what is listed with it (its roles,
    /// tags, policies). The request that lists them must have been authorized before.
    pub fn new(shows: &Requirement, grants: &Grants, parent: &Chain) -> Self {
        let mut visibility = Self {
            everything: grants.mode() != Mode::Enforced,
            by_owner: false,
            by_name: false,
            holdings: Vec::new(),
            listed: Arc::default(),
            user: grants.user().into(),
            groups: grants.shared_groups(),
            roles: grants.shared_roles(),
        };
        if !visibility.everything && grants.membership() == Membership::Member {
            let standpoint = Standpoint::new(parent.nodes(), grants);
            visibility.add(shows, &standpoint);
        }
        visibility
    }

    /// Shows exactly these: the metalakes in which the subject is an enabled user. Everything, where checks are off
    /// or passed through.
    pub fn of_memberships(mode: Mode, metalakes: HashSet<ObjectId>) -> Self {
        Self {
            everything: mode != Mode::Enforced,
            by_owner: false,
            by_name: false,
            holdings: Vec::new(),
            listed: Arc::new(metalakes),
            user: "".into(),
            groups: Arc::default(),
            roles: Arc::default(),
        }
    }

    fn add(&mut self, shows: &Requirement, standpoint: &Standpoint<'_>) {
        match shows {
            Requirement::Public | Requirement::Authenticated | Requirement::Member => self.everything = true,
            Requirement::Named => self.by_name = true,
            Requirement::Owner(kind) => self.add_on(*kind, &[], standpoint),
            Requirement::On { kind, holding } => self.add_on(*kind, holding, standpoint),
            // Held on the metalake, so all items are shown or none is.
            Requirement::Holds(holding) => {
                let standpoint = standpoint.about(ObjectKind::Metalake);
                let held = standpoint.owns(ObjectKind::Metalake).is_some()
                    || holding
                        .iter()
                        .any(|privilege| standpoint.holds(*privilege).is_ok());
                self.everything |= held;
            }
            Requirement::Any(parts) => parts.iter().for_each(|part| self.add(part, standpoint)),
            // These speak of more than one object or of the server; they show nothing of a list.
            Requirement::ServiceAdministrator
            | Requirement::AccountAdministrator
            | Requirement::Operator
            | Requirement::Provisioner
            | Requirement::CreateIn { .. }
            | Requirement::Instruments
            | Requirement::SetOwner
            | Requirement::ManageGrants
            | Requirement::AccessTo
            | Requirement::Destination(_)
            | Requirement::Each(_)
            | Requirement::IfRequest { .. }
            | Requirement::All(_) => {}
        }
    }

    fn add_on(&mut self, kind: ObjectKind, holding: &[Privilege], standpoint: &Standpoint<'_>) {
        let standpoint = standpoint.above(kind);
        if standpoint.base(kind).is_some() {
            self.everything = true;
            return;
        }
        if standpoint.reach(kind).is_err() {
            return;
        }
        // Only a schema has parents of its own kind; owning one of them owns what nests in it.
        if standpoint.owns(kind).is_some() {
            self.everything = true;
            return;
        }
        self.by_owner = true;
        for privilege in holding {
            let allowed_above = match standpoint.holds(*privilege) {
                Ok(_) => true,
                Err(None) => false,
                Err(Some(_denied_above)) => continue,
            };
            let reach = standpoint.grants.reach(*privilege);
            self.everything |= allowed_above && reach.denied.is_empty();
            self.holdings.push(Holding {
                allowed_above,
                allowed: Arc::clone(&reach.allowed),
                denied: Arc::clone(&reach.denied),
            });
        }
    }

    /// Where everything that may be shown is to be found; `None` where items are shown unless they are denied, so that most
    /// of them are. What is found there must still be asked for with [`Self::shows`], since it may be denied.
    pub fn candidates(&self) -> Option<Candidates<'_>> {
        if self.everything || self.holdings.iter().any(|held| held.allowed_above) {
            return None;
        }
        let granted = self.holdings.iter().map(|held| held.allowed.as_ref());
        let named = self.by_name.then_some(self.roles.as_ref());
        Some(Candidates {
            ids: granted.chain(named).chain([self.listed.as_ref()]).collect(),
            owners: if self.by_owner {
                self.principals()
            } else {
                Vec::new()
            },
        })
    }

    /// The subject and its groups.
    fn principals(&self) -> Vec<Principal> {
        let user = Principal {
            kind: PrincipalKind::User,
            name: self.user.to_string(),
        };
        let groups = self.groups.iter().map(|group| Principal {
            kind: PrincipalKind::Group,
            name: group.clone(),
        });
        std::iter::once(user).chain(groups).collect()
    }

    /// Whether every item is shown, so that nothing need be asked of any.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// Whether an object may be shown.
    pub fn shows(&self, id: ObjectId, owner: Option<&Principal>) -> bool {
        self.everything
            || self
                .holdings
                .iter()
                .any(|held| (held.allowed_above || held.allowed.contains(&id)) && !held.denied.contains(&id))
            || (self.by_owner && owner.is_some_and(|owner| self.is(owner)))
            || (self.by_name && self.roles.contains(&id))
            || self.listed.contains(&id)
    }

    /// Whether a user or group may be shown.
    pub fn shows_principal(&self, principal: &Principal) -> bool {
        self.everything || (self.by_name && self.is(principal))
    }

    fn is(&self, principal: &Principal) -> bool {
        match principal.kind {
            PrincipalKind::User => *principal.name == *self.user,
            PrincipalKind::Group => self.groups.contains(&principal.name),
        }
    }
}
