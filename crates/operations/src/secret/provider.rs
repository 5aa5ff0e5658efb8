// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where secrets are: in this process, in files of one folder, in variables of the environment.
//!
//! All calls block for at most one small file, and may be made where nothing can wait.

use std::collections::{BTreeMap, HashMap};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lakeward_metadata::secret::{Plaintext, SecretUrn};

/// The largest secret that is kept or read, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// The folder, below that of a provider of files, of what the server had it keep. A reference names no folder, so that no
/// reference reaches what belongs to somebody.
const BOUND: &str = "bound";

/// A provider of secrets of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretProviderSettings {
    /// Its name in requests.
    pub name: String,
    /// Where it is, as everybody may see.
    pub uri: Option<String>,
    /// What it is.
    pub kind: SecretProviderKind,
}

/// What a provider of secrets is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretProviderKind {
    /// This process; gone with it.
    Memory,
    /// Variables of the environment whose names begin so. It refers only.
    Environment {
        /// The beginning; not empty.
        prefix: String,
    },
    /// Files of a folder.
    File {
        /// The folder.
        folder: PathBuf,
    },
}

impl SecretProviderKind {
    /// The folder that is all its own.
    pub(crate) const fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::Memory | Self::Environment { .. } => None,
            Self::File { folder } => Some(folder),
        }
    }

    /// Its name for `GET /configs/secrets/providers`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Environment { .. } => "environment",
            Self::File { .. } => "file",
        }
    }
}

/// Why a provider does not do it. No text repeats a secret.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretError {
    /// It is not a provider of that kind.
    #[error("{0}")]
    Refused(String),
    /// It has no such secret.
    #[error("there is no such secret")]
    Missing,
    /// What it has is no secret that a property can have.
    #[error("it is larger than {MAX_BYTES} bytes, or no UTF-8")]
    Unusable,
    /// It does not answer.
    #[error(transparent)]
    Broken(#[from] std::io::Error),
}

/// A provider at work.
#[derive(Debug)]
pub(crate) struct SecretProvider {
    pub(super) kind: SecretProviderKind,
    /// What [`SecretProviderKind::Memory`] keeps.
    memory: Mutex<HashMap<SecretUrn, Plaintext>>,
}

impl SecretProvider {
    pub(super) fn new(kind: SecretProviderKind) -> Self {
        Self {
            kind,
            memory: Mutex::default(),
        }
    }

    fn memory(&self) -> MutexGuard<'_, HashMap<SecretUrn, Plaintext>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a secret.
    pub(super) fn keep(&self, urn: &SecretUrn, plaintext: &Plaintext) -> Result<(), SecretError> {
        if plaintext.reveal().len() > MAX_BYTES {
            return Err(SecretError::Unusable);
        }
        match &self.kind {
            SecretProviderKind::Memory => {
                self.memory().insert(urn.clone(), plaintext.clone());
                Ok(())
            }
            SecretProviderKind::Environment { .. } => Err(SecretError::Refused(
                "it keeps nothing: refer to a variable by `secretReferences`".to_owned(),
            )),
            SecretProviderKind::File { folder } => {
                let bound = folder.join(BOUND);
                DirBuilder::new().recursive(true).mode(0o700).create(&bound)?;
                let mut file = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(bound.join(file_name(urn)))?;
                file.write_all(plaintext.reveal().as_bytes())?;
                // Both must be there before the row that names it is.
                file.sync_all()?;
                Ok(File::open(&bound)?.sync_all()?)
            }
        }
    }

    /// What a reference of a request refers to, in the provider's own words.
    pub(super) fn identifier<'a>(
        &self,
        attributes: &'a BTreeMap<String, String>,
    ) -> Result<&'a str, SecretError> {
        let attribute = match &self.kind {
            SecretProviderKind::Memory => {
                return Err(SecretError::Refused(
                    "it has nothing to refer to: have it keep a value by `secretBindings`".to_owned(),
                ));
            }
            SecretProviderKind::Environment { .. } => "variable",
            SecretProviderKind::File { .. } => "file",
        };
        match attributes.get(attribute) {
            Some(identifier) if attributes.len() == 1 => Ok(identifier),
            _ => Err(SecretError::Refused(format!(
                "its references have the one attribute `{attribute}`"
            ))),
        }
    }

    /// Reads a secret.
    pub(super) fn read(&self, urn: &SecretUrn) -> Result<Plaintext, SecretError> {
        match (&self.kind, urn.identifier()) {
            (SecretProviderKind::Memory, _) => self.memory().get(urn).cloned().ok_or(SecretError::Missing),
            (SecretProviderKind::Environment { prefix }, [variable]) if variable.starts_with(prefix) => {
                match std::env::var(variable) {
                    Ok(value) if value.len() <= MAX_BYTES => Ok(Plaintext::new(value)),
                    Ok(_) | Err(std::env::VarError::NotUnicode(_)) => Err(SecretError::Unusable),
                    Err(std::env::VarError::NotPresent) => Err(SecretError::Missing),
                }
            }
            // As for one that is not there, so that nobody learns what else the environment has.
            (SecretProviderKind::Environment { .. }, _) => Err(SecretError::Missing),
            (SecretProviderKind::File { folder }, [file]) if !file.starts_with('.') => {
                let text = read_file(&folder.join(file))?;
                // Editors and tools end a file with the end of a line.
                let value = text.strip_suffix('\n').unwrap_or(&text);
                Ok(Plaintext::new(value.strip_suffix('\r').unwrap_or(value)))
            }
            (SecretProviderKind::File { folder }, _) if urn.is_bound() => {
                read_file(&folder.join(BOUND).join(file_name(urn))).map(Plaintext::new)
            }
            (SecretProviderKind::File { .. }, _) => Err(SecretError::Missing),
        }
    }

    /// Forgets a secret that it kept. One that it does not have is forgotten already.
    pub(super) fn forget(&self, urn: &SecretUrn) -> Result<(), SecretError> {
        match &self.kind {
            SecretProviderKind::Memory => {
                self.memory().remove(urn);
                Ok(())
            }
            SecretProviderKind::Environment { .. } => Ok(()),
            SecretProviderKind::File { folder } => {
                match std::fs::remove_file(folder.join(BOUND).join(file_name(urn))) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                    other => Ok(other?),
                }
            }
        }
    }
}

/// The name of the file of what is kept for an owner. The segments of a URN have no `/`.
fn file_name(urn: &SecretUrn) -> String {
    format!("{}-{}", urn.identifier().join("-"), urn.property())
}

fn read_file(path: &Path) -> Result<String, SecretError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(SecretError::Missing),
        other => other?,
    };
    if !file.metadata()?.is_file() {
        return Err(SecretError::Missing);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_BYTES {
        return Err(SecretError::Unusable);
    }
    String::from_utf8(bytes).map_err(|_| SecretError::Unusable)
}

#[cfg(test)]
mod tests;
