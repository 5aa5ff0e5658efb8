// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Where secrets are kept, from the original's keys: `gravitino.secret.providers` names the providers,
//! `gravitino.secret.provider.<name>.className` says what each is. The last part of the class's name counts:
//! `InMemorySecretsProvider` as the original has it, and of our own `EnvironmentSecretsProvider` and
//! `FileSecretsProvider`.

use std::path::PathBuf;

use lakeward_operations::secret::{SecretProviderKind, SecretProviderSettings};

use super::ConfigurationError;
use super::properties::Properties;

/// The names of the providers.
const PROVIDERS: &str = "gravitino.secret.providers";

/// What the keys of a provider begin with; its name stands behind it.
const FAMILY: &str = "gravitino.secret.provider.";

/// Every provider, in the order of the configuration.
///
/// # Errors
/// [`ConfigurationError`] for names that cannot be or stand twice, and for a provider that lacks what it needs.
pub(super) fn from_properties(
    properties: &Properties,
) -> Result<Vec<SecretProviderSettings>, ConfigurationError> {
    let mut providers: Vec<SecretProviderSettings> = Vec::new();
    for name in properties.list(PROVIDERS) {
        if !is_name(&name) || providers.iter().any(|provider| provider.name == name) {
            return Err(ConfigurationError::Value {
                key: PROVIDERS.to_owned(),
                value: name,
                expected: "different names of letters, digits, `_` and `-`",
            });
        }
        let key = |last: &str| format!("{FAMILY}{name}.{last}");
        let needed = |last: &str| {
            let key = key(last);
            properties.given(&key).map(str::to_owned).ok_or_else(|| {
                ConfigurationError::Combination(format!(
                    "the provider `{name}` of `{PROVIDERS}` needs `{key}`"
                ))
            })
        };
        let class = needed("className")?;
        let kind = match class.rsplit('.').next() {
            Some("InMemorySecretsProvider") => SecretProviderKind::Memory,
            Some("EnvironmentSecretsProvider") => SecretProviderKind::Environment {
                prefix: needed("prefix")?,
            },
            Some("FileSecretsProvider") => SecretProviderKind::File {
                folder: PathBuf::from(needed("folder")?),
            },
            _ => {
                return Err(ConfigurationError::NotSupported {
                    key: key("className"),
                    value: class,
                });
            }
        };
        providers.push(SecretProviderSettings {
            uri: properties.given(&key("uri")).map(str::to_owned),
            name,
            kind,
        });
    }
    Ok(providers)
}

/// Whether a key belongs to a provider, whose names are free.
pub(super) fn is_of_provider(key: &str) -> bool {
    const MEMBERS: [&str; 4] = ["className", "uri", "prefix", "folder"];
    key.strip_prefix(FAMILY)
        .and_then(|rest| rest.split_once('.'))
        .is_some_and(|(_, last)| MEMBERS.contains(&last))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
}
