// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A JSON object with the place where it stands, for precise refusals.

use serde_json::{Map, Value};

use crate::error::ReaderError;

pub(super) struct Object<'a> {
    members: &'a Map<String, Value>,
    at: &'a str,
}

impl<'a> Object<'a> {
    pub(super) fn new(json: &'a Value, at: &'a str) -> Result<Self, ReaderError> {
        match json {
            Value::Object(members) => Ok(Self { members, at }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(ReaderError::Malformed {
                    at: at.to_owned(),
                    problem: "an object was expected".to_owned(),
                })
            }
        }
    }

    /// Refuses every member that is not listed.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), ReaderError> {
        match self
            .members
            .keys()
            .find(|member| !known.contains(&member.as_str()))
        {
            None => Ok(()),
            Some(member) => Err(ReaderError::UnknownMember {
                at: self.at.to_owned(),
                member: member.clone(),
            }),
        }
    }

    pub(super) fn get(&self, member: &str) -> Option<&'a Value> {
        self.members.get(member)
    }

    pub(super) fn require(&self, member: &str) -> Result<&'a Value, ReaderError> {
        self.get(member).ok_or_else(|| ReaderError::Malformed {
            at: self.at.to_owned(),
            problem: format!("the member `{member}` is missing"),
        })
    }

    pub(super) fn require_text(&self, member: &str) -> Result<&'a str, ReaderError> {
        self.require(member)?
            .as_str()
            .ok_or_else(|| ReaderError::Malformed {
                at: self.at.to_owned(),
                problem: format!("the member `{member}` must be a string"),
            })
    }
}
