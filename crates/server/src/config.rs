// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Configuration: the original's properties file, typed and checked as a whole before anything starts.

use std::path::PathBuf;

pub mod cross_origin;
pub(crate) mod encryption;
pub mod iceberg;
pub mod jobs;
pub mod kerberos;
pub mod keys;
pub mod limits;
pub mod lineage;
pub mod name_mapper;
pub mod oauth;
pub mod properties;
pub mod scim;
mod secrets;
pub mod settings;

#[cfg(test)]
mod tests;

pub use properties::Properties;
pub use settings::Settings;

// Passwords and keys must not reach a log by way of a derived implementation.
impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").finish_non_exhaustive()
    }
}

/// Why the configuration cannot be used. The server does not start then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigurationError {
    /// The file cannot be read.
    #[error("the configuration file `{}` cannot be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        reason: String,
    },
    /// The text is no properties file.
    #[error("the configuration is not a properties file: {0}")]
    Syntax(String),
    /// A key that is not known, where a misspelling would be dangerous.
    #[error("the key `{key}` is not known; did you mean `{nearest}`?")]
    UnknownKey {
        /// The key as given.
        key: String,
        /// The known key with the fewest differing letters.
        nearest: &'static str,
    },
    /// A value that the key cannot have.
    #[error("`{key}` cannot be `{value}`: {expected} is expected")]
    Value {
        /// The key.
        key: String,
        /// The value as given.
        value: String,
        /// What is expected, in words.
        expected: &'static str,
    },
    /// A key that asks for what is not there yet.
    #[error("`{key} = {value}` is not supported yet")]
    NotSupported {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
    /// Two settings that may not stand together, or one that lacks another.
    #[error("{0}")]
    Combination(String),
}
