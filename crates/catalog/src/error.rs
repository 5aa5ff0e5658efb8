// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a provider may answer instead of a result.

/// Why a provider could not do what it was asked. It knows nothing of HTTP; each protocol has its own table of
/// statuses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// The request is wrong in itself; the message says where and what to do.
    #[error("{0}")]
    Invalid(String),
    /// The request is understood and this provider cannot do it.
    #[error("{0}")]
    Unsupported(String),
    /// A location that the location policy refuses: outside the warehouse, not canonical, or another table's.
    #[error("{0}")]
    LocationRefused(String),
    /// What the caller took for granted no longer holds; nothing was changed. Load again and retry.
    #[error("Requirement failed: {0}")]
    RequirementFailed(String),
    /// A file of metadata that the host points to, or that a caller named, does not exist.
    #[error("the metadata file `{0}` does not exist")]
    MetadataMissing(String),
    /// A file of metadata that cannot be understood.
    #[error("the metadata file `{location}` cannot be read: {reason}")]
    MetadataInvalid {
        /// The location of the file.
        location: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of metadata that is not what the catalog wrote or registered there. Nothing in it is believed.
    #[error("the metadata file `{0}` was changed outside the catalog")]
    MetadataChanged(String),
    /// A file that was to be created exists already.
    #[error("the file `{0}` exists already")]
    FileExists(String),
    /// The storage or the external system does not answer, or refuses; nothing is known about the effect.
    #[error("the storage does not answer as it should: {0}")]
    Unavailable(String),
}
