// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a request names, before anything is looked up: the metalake, the objects, and what the request says that
//! may change the demand. The gate turns it into the target that a requirement is decided on.

use lakeward_authorization::requirement::Circumstance;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::principal::Principal;

/// The names in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The metalake; `None` when the request concerns the server itself.
    pub metalake: Option<String>,
    /// What in it.
    pub what: NamedWhat,
    /// What the request says that may change the demand.
    pub says: Vec<Circumstance>,
    /// Whom the answer is about, where it is about somebody.
    pub about: Option<NamedSubject>,
}

/// Whom an answer is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSubject {
    /// The user; `None` for the caller.
    pub user: Option<String>,
    /// Whether the request says of what groups to think, which may be others than the subject is in.
    pub states_groups: bool,
}

/// The shapes of [`Named`]; one for each of `lakeward_authorization::target::Shape`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedWhat {
    /// Nothing but the server.
    Server,
    /// One object (the metalake itself included).
    Object(MetadataObject),
    /// A user or group of the metalake.
    Principal(Principal),
    /// An object, and the tags, policies or job template to use on it.
    Instruments {
        /// The object acted on.
        object: MetadataObject,
        /// Each instrument.
        instruments: Vec<MetadataObject>,
    },
    /// An object that moves to another parent.
    Move {
        /// The object.
        source: MetadataObject,
        /// Its new parent.
        destination: MetadataObject,
    },
    /// Several objects of the metalake, each with what the request says of it.
    Several(Vec<(MetadataObject, Vec<Circumstance>)>),
}

impl Named {
    /// The server itself.
    pub fn server() -> Self {
        Self {
            metalake: None,
            what: NamedWhat::Server,
            says: Vec::new(),
            about: None,
        }
    }

    /// A metalake.
    pub fn metalake(name: &str) -> Self {
        Self::object(
            name,
            MetadataObject {
                kind: ObjectKind::Metalake,
                path: vec![name.to_owned()],
            },
        )
    }

    /// One object of a metalake.
    pub fn object(metalake: &str, object: MetadataObject) -> Self {
        Self::of(metalake, NamedWhat::Object(object))
    }

    /// A user or group of a metalake.
    pub fn principal(metalake: &str, principal: Principal) -> Self {
        Self::of(metalake, NamedWhat::Principal(principal))
    }

    /// Anything in a metalake.
    pub fn of(metalake: &str, what: NamedWhat) -> Self {
        Self {
            metalake: Some(metalake.to_owned()),
            what,
            says: Vec::new(),
            about: None,
        }
    }

    /// The same, with an answer about a subject.
    #[must_use]
    pub fn about(mut self, subject: NamedSubject) -> Self {
        self.about = Some(subject);
        self
    }

    /// The same as this caller asks it: an answer about somebody else, or about the caller in other groups, concerns
    /// another.
    #[must_use]
    pub fn asked_by(self, caller: &str) -> Self {
        let concerns_another = self.about.as_ref().is_some_and(|subject| {
            subject.states_groups || subject.user.as_deref().is_some_and(|user| user != caller)
        });
        self.saying(Circumstance::ConcernsAnother, concerns_another)
    }

    /// The same, with a circumstance that the request states.
    #[must_use]
    pub fn saying(mut self, circumstance: Circumstance, holds: bool) -> Self {
        if holds {
            self.says.push(circumstance);
        }
        self
    }
}

/// A value that says what it names. Implemented by every target of an endpoint.
pub trait Names {
    /// The names in it.
    fn named(&self) -> Named;
}

/// The target of a request that names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TheServer;

impl Names for TheServer {
    fn named(&self) -> Named {
        Named::server()
    }
}
