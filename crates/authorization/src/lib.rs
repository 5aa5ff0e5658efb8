// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who may do what: privileges, roles, ownership, and one pure decision over them.
//!
//! Facts come in as plain values ([`grants::Holdings`], [`chain::Chain`]), a requirement is constant data
//! ([`requirement::Requirement`]), and [`decide::decide`] answers from these alone; [`explain::explain`] tells why. Nothing here knows how grants
//! are stored, nor HTTP. The rules are those of the access-control page (seed 004).

pub mod active_roles;
pub mod authorized;
pub mod chain;
pub mod condition;
pub mod decide;
pub mod effective;
pub mod explain;
pub mod grants;
pub mod owner;
pub mod privilege;
pub mod refusal;
pub mod requirement;
pub mod role;
pub mod securable_object;
pub mod seen;
pub mod target;
pub mod visibility;

pub use authorized::{Authorized, authorize};
pub use chain::{Chain, Node};
pub use condition::Condition;
pub use grants::Grants;
pub use privilege::Privilege;
pub use refusal::Refusal;
pub use requirement::Requirement;
pub use target::Target;
pub use visibility::Visibility;
