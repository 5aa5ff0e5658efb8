// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files and folders of this machine and of S3, by canonical locations.
//!
//! Every text that names a place becomes a [`Location`] before it is compared or used, so that what was checked is what
//! is opened. What a file means, and which places a catalog may reach, is the provider's.

pub mod delegation;
mod location;
pub mod s3_settings;
mod storage;

pub use delegation::Delegation;
pub use location::{Location, Scheme, folder_name, scheme_of, spelled};
pub use s3_settings::S3Settings;
pub use storage::{Entry, MAX_READ_BYTES, Storage, real};
