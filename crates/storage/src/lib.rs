// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files and folders of this machine, of S3, Google Cloud Storage and Azure, by canonical locations.
//!
//! Every text that names a place becomes a [`Location`] before it is compared or used, so that what was checked is what
//! is opened. What a file means, and which places a catalog may reach, is the provider's.

pub mod adls_settings;
pub mod delegation;
pub mod gcs_settings;
mod location;
pub mod s3_settings;
mod settings;
mod storage;

pub use delegation::Delegation;
pub use location::{Location, Scheme, folder_name, scheme_of, spelled};
pub use settings::StorageSettings;
pub use storage::{Entry, MAX_READ_BYTES, Storage, real};
