// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Why somebody may do something, and what somebody may do: decisions told to people.
//!
//! The same evaluation as of a request ([`lakeward_authorization::explain`]), with the names of objects, roles, groups and
//! owners behind it. Nothing is guessed: where nobody knows in which groups a subject is, there is no verdict.

mod explain;
mod list;
mod refusal;
mod words;

use lakeward_authorization::Requirement;
use lakeward_metadata::object::MetadataObject;

use crate::named::{Named, NamedSubject, NamedWhat, Names};
use crate::paths::ObjectPath;

pub use list::{AccessItem, AccessList, AccessPage};

/// What an explanation of a decision names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessPath {
    /// The object acted on.
    pub object: ObjectPath,
    /// The tags, policies or job template used on it.
    pub instruments: Vec<MetadataObject>,
    /// Whom it is about; `None` for a request that does not say so legibly.
    pub about: Option<NamedSubject>,
}

impl Names for AccessPath {
    fn named(&self) -> Named {
        let object = self.object.object.clone();
        let what = if self.instruments.is_empty() {
            NamedWhat::Object(object)
        } else {
            NamedWhat::Instruments {
                object,
                instruments: self.instruments.clone(),
            }
        };
        let named = Named::of(&self.object.metalake, what);
        match &self.about {
            Some(subject) => named.about(subject.clone()),
            None => named,
        }
    }
}

/// The question of an explanation.
#[derive(Debug, Clone)]
pub struct AccessQuestion {
    /// The subject; `None` for the caller.
    pub user: Option<String>,
    /// The groups of the subject; `None` for those that a source knows.
    pub groups: Option<Vec<String>>,
    /// The name of the operation.
    pub operation: String,
    /// What it requires.
    pub requires: Requirement,
}
