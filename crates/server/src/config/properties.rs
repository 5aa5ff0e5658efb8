// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A properties file as the original reads it, checked against the known keys.

use std::collections::BTreeMap;
use std::path::Path;

use super::ConfigurationError;
use super::keys::{self, Effect, MEANINGLESS_FAMILIES, STRICT_FAMILIES};
use super::{lineage, secrets};

/// The raw keys and values, with what is worth telling about them at start.
#[derive(Clone, Default)]
pub struct Properties {
    values: BTreeMap<String, String>,
    /// One line each, for the log at start.
    pub warnings: Vec<String>,
}

// Passwords and keys must not reach a log by way of a derived implementation.
impl std::fmt::Debug for Properties {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

impl Properties {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ConfigurationError`] when it cannot be read, is no properties file, or has a misspelt key where that is
    /// dangerous.
    pub fn load(path: &Path) -> Result<Self, ConfigurationError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigurationError::File {
            path: path.to_owned(),
            reason: source.to_string(),
        })?;
        Self::parse(&text)
    }

    /// Reads a text. A key that comes twice keeps its last value, as in Java.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn parse(text: &str) -> Result<Self, ConfigurationError> {
        Self::check(Self::pairs(text)?)
    }

    /// The keys and values of a text, whatever the keys are. A key that comes twice keeps its last value.
    ///
    /// # Errors
    /// [`ConfigurationError::Syntax`] when it is no properties file.
    pub fn pairs(text: &str) -> Result<BTreeMap<String, String>, ConfigurationError> {
        let mut values = BTreeMap::new();
        // The crate reads Latin-1 with `\u` escapes, as Java does from a byte stream. Files today are UTF-8.
        let escaped: String = text.chars().map(escape).collect();
        java_properties::PropertiesIter::new(escaped.as_bytes())
            .read_into(|key, value| {
                values.insert(key, value.trim().to_owned());
            })
            .map_err(|error| ConfigurationError::Syntax(error.to_string()))?;
        Ok(values)
    }

    /// Takes keys and values from elsewhere (the demo, tests).
    ///
    /// # Errors
    /// [`ConfigurationError::UnknownKey`].
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, ConfigurationError> {
        Self::check(
            pairs
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    fn check(values: BTreeMap<String, String>) -> Result<Self, ConfigurationError> {
        let mut meaningless = Vec::new();
        let mut unknown = Vec::new();
        for (name, value) in &values {
            match keys::known(name) {
                Some(key) => match key.effect {
                    Effect::Obeyed => {}
                    Effect::Meaningless => meaningless.push(name.as_str()),
                    Effect::NotYet if key.default == Some(value.as_str()) || value.is_empty() => {}
                    Effect::NotYet => {
                        return Err(ConfigurationError::NotSupported {
                            key: name.clone(),
                            value: value.clone(),
                        });
                    }
                },
                None if lineage::is_of_sink(name) || secrets::is_of_provider(name) => {}
                None if STRICT_FAMILIES.iter().any(|family| name.starts_with(family)) => {
                    return Err(ConfigurationError::UnknownKey {
                        key: name.clone(),
                        nearest: keys::nearest(name),
                    });
                }
                None if MEANINGLESS_FAMILIES.iter().any(|family| name.starts_with(family)) => {
                    meaningless.push(name.as_str());
                }
                None => unknown.push(name.as_str()),
            }
        }
        let mut warnings = Vec::new();
        if !meaningless.is_empty() {
            warnings.push(format!(
                "these keys of the configuration have no effect here: {}",
                meaningless.join(", ")
            ));
        }
        for name in unknown {
            warnings.push(format!(
                "the key `{name}` is not known (the nearest known one is `{}`); it is ignored",
                keys::nearest(name)
            ));
        }
        Ok(Self { values, warnings })
    }

    /// A value as it was given, or the default of the key.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.given(name)
            .or_else(|| keys::known(name).and_then(|key| key.default))
    }

    /// A value only if it was given and is not blank.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.values
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The entries of a comma list, trimmed, without empty ones.
    pub fn list(&self, name: &str) -> Vec<String> {
        self.get(name)
            .unwrap_or_default()
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// A value of a type that can be read from text.
    ///
    /// # Errors
    /// [`ConfigurationError::Value`] when it cannot, or when there is neither value nor default.
    pub fn parsed<T: std::str::FromStr>(
        &self,
        name: &str,
        expected: &'static str,
    ) -> Result<T, ConfigurationError> {
        let value = self.get(name).unwrap_or_default();
        value.parse().map_err(|_| ConfigurationError::Value {
            key: name.to_owned(),
            value: value.to_owned(),
            expected,
        })
    }

    /// `true` or `false` in any case.
    ///
    /// # Errors
    /// [`ConfigurationError::Value`] for anything else: a switch that is misspelt must not be off by accident.
    pub fn switch(&self, name: &str) -> Result<bool, ConfigurationError> {
        let value = self.get(name).unwrap_or_default();
        if value.eq_ignore_ascii_case("true") {
            Ok(true)
        } else if value.eq_ignore_ascii_case("false") {
            Ok(false)
        } else {
            Err(ConfigurationError::Value {
                key: name.to_owned(),
                value: value.to_owned(),
                expected: "`true` or `false`",
            })
        }
    }

    /// Sets a value, for the options of the command line.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.values.insert(name.to_owned(), value.into());
    }
}

fn escape(c: char) -> String {
    if c.is_ascii() {
        return c.to_string();
    }
    let mut units = [0; 2];
    c.encode_utf16(&mut units)
        .iter()
        .map(|unit| format!("\\u{unit:04x}"))
        .collect()
}
