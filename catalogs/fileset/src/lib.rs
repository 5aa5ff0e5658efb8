// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The provider `fileset`: folders of files on this machine and on S3.
//!
//! The host keeps names and locations. This crate says where a fileset lies (its own locations, and those that schema and
//! catalog hand down, with placeholders replaced), and makes, lists and removes folders, never outside a fileset's own.

mod factory;
mod inherited;
mod place;
mod placeholder;
mod plan;
mod provider;

pub use factory::FilesetFactory;

#[cfg(test)]
mod tests;
