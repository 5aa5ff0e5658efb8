// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! From tags to policies to read restrictions.
//!
//! ```text
//! assignments on an object and its ancestors   -> effective tags        effective_tag
//! effective tags and policies on tags          -> selected policies     resolve::selection
//! selected policies, subject, schema           -> bound results         policy-language
//! bound results                                -> ReadRestrictions      resolve
//! the same values                              -> explanation           explain
//! facts as they would be                       -> the same again        preview
//! every subject at once                        -> what fails where      impact
//! ```
//!
//! The crate is pure: facts come in as plain values of one snapshot, and every doubt is an error. A direct
//! association of a policy with an object ([`object_policy`]) never takes part in a resolution.

pub mod assignment;
pub mod effective_tag;
pub mod explain;
pub mod impact;
pub mod object_policy;
pub mod policy;
pub mod policy_content;
pub mod preview;
pub mod readable;
pub mod resolve;
pub mod selector;
pub mod tag;

pub use lakeward_policy_language::{Category, PolicyError, Rule, SubjectContext};
