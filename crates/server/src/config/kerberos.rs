// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The settings of the authenticator `kerberos`: the original's keys.

use std::path::PathBuf;

use super::ConfigurationError;
use super::name_mapper::NameMapper;
use super::properties::Properties;

const PREFIX: &str = "gravitino.authenticator.kerberos.";

/// See the module.
#[derive(Debug, Clone)]
pub struct KerberosSettings {
    /// Whom clients ask for a ticket to: `HTTP/host@REALM`.
    pub principal: String,
    /// The file with the keys of that principal.
    pub keytab: PathBuf,
    /// From the principal of a client to the user's name here.
    pub principal_mapper: NameMapper,
}

impl KerberosSettings {
    /// Reads the keys. The keytab itself is read when the server starts.
    ///
    /// # Errors
    /// [`ConfigurationError`] for a key that is missing or cannot have its value, and in a build without Kerberos.
    pub(super) fn from_properties(properties: &Properties) -> Result<Self, ConfigurationError> {
        if !cfg!(feature = "kerberos") {
            return Err(ConfigurationError::Combination(
                "`gravitino.authenticators` names `kerberos`, and this `lakeward` was built without it: build it with `cargo \
                 build --release -p lakeward --features kerberos`, which needs the GSSAPI library of MIT Kerberos"
                    .to_owned(),
            ));
        }
        let refused = |name: &str, value: &str, expected| ConfigurationError::Value {
            key: format!("{PREFIX}{name}"),
            value: value.to_owned(),
            expected,
        };
        let principal = given(properties, "principal")?;
        let realm = principal
            .strip_prefix("HTTP/")
            .and_then(|rest| rest.split_once('@'))
            .filter(|(host, realm)| !host.is_empty() && !realm.is_empty())
            .map(|(_, realm)| realm)
            .ok_or_else(|| refused("principal", principal, "`HTTP/host@REALM`"))?;
        let kind = properties
            .get(&format!("{PREFIX}principalMapper"))
            .unwrap_or_default();
        if kind != "regex" {
            return Err(refused("principalMapper", kind, "`regex`"));
        }
        // A realm that trusts others has principals of theirs, whose names are not the names of its own: unless somebody
        // decides otherwise, only its own have a name here.
        let own = format!("^([^@]+)@{}$", regex::escape(realm));
        let pattern_name = "principalMapper.regex.pattern";
        let pattern = properties
            .given(&format!("{PREFIX}{pattern_name}"))
            .unwrap_or(&own);
        let expected = "a regular expression with a group in parentheses";
        Ok(Self {
            principal: principal.to_owned(),
            keytab: PathBuf::from(given(properties, "keytab")?),
            principal_mapper: NameMapper::new(pattern)
                .ok_or_else(|| refused(pattern_name, pattern, expected))?,
        })
    }

    /// What the environment variable `KRB5_KTNAME` must be for the library to read this keytab: it takes it from nowhere
    /// else.
    pub fn environment(&self) -> (&'static str, String) {
        ("KRB5_KTNAME", format!("FILE:{}", self.keytab.display()))
    }
}

fn given<'a>(properties: &'a Properties, name: &str) -> Result<&'a str, ConfigurationError> {
    properties.given(&format!("{PREFIX}{name}")).ok_or_else(|| {
        ConfigurationError::Combination(format!(
            "`kerberos` in `gravitino.authenticators` needs `{PREFIX}{name}`"
        ))
    })
}
