// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Property values that a provider of secrets keeps: what a request says of them, and what stands in their place.

use std::collections::BTreeMap;
use std::fmt;

use crate::Properties;

/// How a property begins whose value is kept by a provider of secrets. Only the server writes such.
pub const URN_PREFIX: &str = "urn:gravitino-secret:";

/// A value in clear. Not shown by `Debug`, so that no log and no panic repeats it.
#[derive(Clone, PartialEq, Eq)]
pub struct Plaintext(String);

impl Plaintext {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for who needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What a request says of a property whose value is a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewSecret {
    /// A provider is to keep this value.
    Binding {
        /// The provider's name.
        provider: String,
        /// The value.
        plaintext: Plaintext,
    },
    /// A provider keeps the value already.
    Reference {
        /// The provider's name.
        provider: String,
        /// Where the provider finds it; which members there are is the provider's matter. Not empty.
        attributes: BTreeMap<String, String>,
    },
}

/// The secrets of a new object, by property.
pub type NewSecrets = BTreeMap<String, NewSecret>;

/// What stands in a property instead of its value: which provider keeps it, and under what.
///
/// `urn:gravitino-secret:<provider>:<identifier>…:<property>`. The identifier of what the server had a provider keep has
/// two segments, kind and number of its owner; that of a reference is one, the provider's own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretUrn {
    provider: String,
    identifier: Vec<String>,
    property: String,
}

/// Text that cannot be a part of a [`SecretUrn`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` must not be empty and may have only letters, digits, `.`, `_` and `-`")]
pub struct NotASegment(pub String);

impl SecretUrn {
    /// What a provider keeps for an owner.
    ///
    /// # Errors
    /// [`NotASegment`] naming the part.
    pub fn bound(provider: &str, kind: &str, owner: u64, property: &str) -> Result<Self, NotASegment> {
        Self::new(provider, &[kind, &owner.to_string()], property)
    }

    /// What a provider has by itself.
    ///
    /// # Errors
    /// [`NotASegment`] naming the part.
    pub fn referring(provider: &str, identifier: &str, property: &str) -> Result<Self, NotASegment> {
        Self::new(provider, &[identifier], property)
    }

    fn new(provider: &str, identifier: &[&str], property: &str) -> Result<Self, NotASegment> {
        for part in [provider, property].iter().chain(identifier) {
            if !is_segment(part) {
                return Err(NotASegment((*part).to_owned()));
            }
        }
        Ok(Self {
            provider: provider.to_owned(),
            identifier: identifier.iter().map(|&part| part.to_owned()).collect(),
            property: property.to_owned(),
        })
    }

    /// What stands in a property, if it is one of these: the URN ends with the name of the property that it is for.
    pub fn of(property: &str, value: &str) -> Option<Self> {
        let rest = value.strip_prefix(URN_PREFIX)?;
        let mut parts: Vec<&str> = rest.split(':').collect();
        let last = parts.pop().filter(|last| *last == property)?;
        let (provider, identifier) = parts.split_first()?;
        if identifier.is_empty() {
            return None;
        }
        Self::new(provider, identifier, last).ok()
    }

    /// Those among the properties of an object.
    pub fn all(properties: &Properties) -> impl Iterator<Item = Self> {
        properties
            .iter()
            .filter_map(|(property, value)| Self::of(property, value))
    }

    /// The provider's name.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// What the provider finds it by, one or more segments.
    pub fn identifier(&self) -> &[String] {
        &self.identifier
    }

    /// The property that it stands in.
    pub fn property(&self) -> &str {
        &self.property
    }

    /// Whether the server had the provider keep it, so that it ends with its owner.
    pub fn is_bound(&self) -> bool {
        self.identifier.len() == 2
    }
}

impl fmt::Display for SecretUrn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            provider,
            identifier,
            property,
        } = self;
        write!(f, "{URN_PREFIX}{provider}:{}:{property}", identifier.join(":"))
    }
}

/// Whether a value pretends to be a [`SecretUrn`], in any case. A request that could write one could read another
/// object's secret.
pub fn is_urn(value: &str) -> bool {
    value
        .get(..URN_PREFIX.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(URN_PREFIX))
}

fn is_segment(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_urn_is_read_as_it_is_written() {
        let bound = SecretUrn::bound("memory", "fileset", 30019, "s3-secret-access-key").ok();
        let text = "urn:gravitino-secret:memory:fileset:30019:s3-secret-access-key";
        assert_eq!(bound.as_ref().map(ToString::to_string).as_deref(), Some(text));
        assert_eq!(SecretUrn::of("s3-secret-access-key", text), bound);
        assert!(bound.is_some_and(|urn| urn.is_bound()));
        let referring = SecretUrn::referring("env", "KEY", "a.b").ok();
        assert_eq!(
            SecretUrn::of("a.b", "urn:gravitino-secret:env:KEY:a.b"),
            referring
        );
        assert!(referring.is_some_and(|urn| !urn.is_bound()));
    }

    #[test]
    fn what_is_no_urn_of_its_property_is_none() {
        for (property, value) in [
            ("k", "urn:gravitino-secret:env:KEY:other"),
            ("k", "urn:gravitino-secret:env:k"),
            ("k", "urn:gravitino-secret:k"),
            ("k", "urn:gravitino-secret:env:a/b:k"),
            ("k", "urn:gravitino-secret::a:k"),
            ("k", "URN:gravitino-secret:env:a:k"),
            ("k", "plain"),
            ("", ""),
        ] {
            assert_eq!(SecretUrn::of(property, value), None, "{value}");
        }
        assert_eq!(
            SecretUrn::referring("env", "../x", "k"),
            Err(NotASegment("../x".to_owned()))
        );
        assert!(is_urn("URN:Gravitino-secret:x") && !is_urn("urn:gravitino-secre"));
    }

    #[test]
    fn a_value_in_clear_is_not_printed() {
        assert_eq!(format!("{:?}", Plaintext::new("pssst")), "***");
    }
}
