// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The restricted policy language: one authored expression becomes one closed result.
//!
//! The stages are types that cannot be confused:
//!
//! ```text
//! Source        text within the length limit
//!   -> ParsedRule     grammar of section 3                       save time
//!   -> TypedRule      operand shapes, action names, limits       save time      both inside `Rule`
//!   -> BoundRule      subject, columns and literals filled in    load time
//!   -> Bound<T>       lowered, canonical predicate or one action load time
//! ```
//!
//! [`check`] runs the first two steps once per policy revision; a [`Rule`] is immutable, cheap to share and binds
//! without looking at the text again. Nothing here knows tags, policies or tables beyond their fields.
//! Section numbers in this crate refer to the language reference.
//!
//! ```
//! use lakeward_policy_language::{RuleHead, SubjectContext, check};
//! use lakeward_read_restrictions::field::{Field, FieldType};
//!
//! let rule = check(RuleHead::Filter, r#"filter := col("owner") == session_user()"#)?;
//! let fields = [Field { id: 5, name: "owner".into(), field_type: FieldType::String, required: false }];
//! let bound = rule.bind_filter(&SubjectContext::new("ann"), &fields)?;
//! assert_eq!(
//!     bound.value.wire_json(),
//!     r#"{"type":"eq","left":{"type":"reference","id":5},"right":{"type":"literal","value":"ann","data-type":"string"}}"#
//! );
//! # Ok::<(), lakeward_policy_language::PolicyError>(())
//! ```

mod ast;
mod binding;
pub mod canonical;
mod context;
mod error;
mod lexer;
pub mod limits;
mod lowering;
mod number;
mod parser;
mod rule;
mod source;
mod token;
mod typing;

pub use ast::RuleHead;
pub use binding::{Bound, Outcome};
pub use context::{ContextKey, Reads, SubjectContext};
pub use error::{Category, PolicyError};
pub use rule::{Rule, check};
pub use source::Span;
