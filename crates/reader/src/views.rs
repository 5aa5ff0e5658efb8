// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Iceberg views, expanded for the caller: with the caller's identity and today's restrictions on every table.
//!
//! A view is planned apart from the statement that names it, so that neither sees the other's names, and its plan is
//! put where the name stands. Only what means the same in the view's dialect and in this engine is expanded
//! ([`subset`] looks at the text, [`meaning`] at the types); everything else is refused by name.

mod calls;
pub(crate) mod definition;
mod dialect;
mod expansion;
mod fit;
mod letters;
mod meaning;
mod operators;
mod subset;

#[cfg(test)]
mod tests;

pub(crate) use definition::ViewDefinition;
pub(crate) use expansion::{Expanded, Expansion};
