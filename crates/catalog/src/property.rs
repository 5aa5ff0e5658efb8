// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Declared properties: what a provider understands, of which type, and who may see or change it.

use lakeward_metadata::Properties;
use lakeward_metadata::secret::SecretUrn;

use crate::error::CatalogError;

/// The type of a property's value. Values travel as text; the type says which texts are values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PropertyKind {
    /// Any text.
    Text,
    /// `true` or `false`, in any case.
    Boolean,
    /// A whole number of 64 bits.
    Integer,
    /// One of a closed list, in any case.
    OneOf(&'static [&'static str]),
}

/// One property that a provider declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyDeclaration {
    /// The exact name; the beginning of the names where [`Self::is_prefix`].
    pub name: &'static str,
    /// The type of the value.
    pub kind: PropertyKind,
    /// What it means, for documentation and error messages.
    pub meaning: &'static str,
    /// Must be given at creation.
    pub required: bool,
    /// Cannot be set or removed after creation.
    pub immutable: bool,
    /// Never shown in an answer. Secrets are hidden; so are internal values.
    pub hidden: bool,
    /// Cannot be set by a caller at all; the provider derives it.
    pub reserved: bool,
    /// Stands for every property whose name begins with [`Self::name`] and that has no declaration of its own.
    pub is_prefix: bool,
}

impl PropertyDeclaration {
    /// An optional, visible, changeable property.
    pub const fn optional(name: &'static str, kind: PropertyKind, meaning: &'static str) -> Self {
        Self {
            name,
            kind,
            meaning,
            required: false,
            immutable: false,
            hidden: false,
            reserved: false,
            is_prefix: false,
        }
    }

    /// The same for all properties whose names begin so.
    #[must_use]
    pub const fn prefix(mut self) -> Self {
        self.is_prefix = true;
        self
    }

    /// The same, required at creation.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same, fixed at creation.
    #[must_use]
    pub const fn immutable(mut self) -> Self {
        self.immutable = true;
        self
    }

    /// The same, never shown: a secret or an internal value.
    #[must_use]
    pub const fn hidden(mut self) -> Self {
        self.hidden = true;
        self
    }

    /// The same, derived by the provider and refused from callers.
    #[must_use]
    pub const fn reserved(mut self) -> Self {
        self.reserved = true;
        self
    }

    fn check_value(&self, value: &str) -> Result<(), CatalogError> {
        let expected = match self.kind {
            PropertyKind::Text => return Ok(()),
            PropertyKind::Boolean => {
                if value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false") {
                    return Ok(());
                }
                "`true` or `false`".to_owned()
            }
            PropertyKind::Integer => {
                if value.parse::<i64>().is_ok() {
                    return Ok(());
                }
                "a whole number".to_owned()
            }
            PropertyKind::OneOf(choices) => {
                if choices.iter().any(|choice| choice.eq_ignore_ascii_case(value)) {
                    return Ok(());
                }
                format!("one of `{}`", choices.join("`, `"))
            }
        };
        // The value itself may be a secret; it is not repeated.
        Err(CatalogError::Invalid(format!(
            "the value of property `{}` must be {expected}",
            self.name
        )))
    }
}

/// Everything a provider declares for one kind of object. Undeclared properties are kept and shown as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyDeclarations(pub &'static [PropertyDeclaration]);

impl PropertyDeclarations {
    /// The declaration of `name`, if there is one.
    pub fn find(&self, name: &str) -> Option<&'static PropertyDeclaration> {
        let exact = self
            .0
            .iter()
            .find(|declaration| !declaration.is_prefix && declaration.name == name);
        exact.or_else(|| {
            self.0
                .iter()
                .find(|declaration| declaration.is_prefix && name.starts_with(declaration.name))
        })
    }

    /// Checks the properties of a new object.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] naming the missing, reserved or ill-typed properties.
    pub fn check_new(&self, properties: &Properties) -> Result<(), CatalogError> {
        let missing: Vec<&str> = self
            .0
            .iter()
            .filter(|declaration| declaration.required && !properties.contains_key(declaration.name))
            .map(|declaration| declaration.name)
            .collect();
        if !missing.is_empty() {
            return Err(CatalogError::Invalid(format!(
                "properties are required and must be set: [{}]",
                missing.join(", ")
            )));
        }
        for (name, value) in properties {
            if let Some(declaration) = self.find(name) {
                if declaration.reserved {
                    return Err(reserved(name));
                }
                declaration.check_value(value)?;
            }
        }
        Ok(())
    }

    /// Checks a change of one property after creation; `value` is `None` for a removal.
    ///
    /// # Errors
    /// [`CatalogError::Invalid`] for an immutable, reserved or ill-typed property, and for the removal of a
    /// required one.
    pub fn check_change(&self, name: &str, value: Option<&str>) -> Result<(), CatalogError> {
        let Some(declaration) = self.find(name) else {
            return Ok(());
        };
        if declaration.reserved {
            return Err(reserved(name));
        }
        if declaration.immutable {
            return Err(CatalogError::Invalid(format!(
                "property `{name}` is immutable: it is set once, at creation"
            )));
        }
        match value {
            Some(value) => declaration.check_value(value),
            None if declaration.required => Err(CatalogError::Invalid(format!(
                "property `{name}` is required and cannot be removed"
            ))),
            None => Ok(()),
        }
    }

    /// The properties that an answer may show: neither hidden ones nor what stands for a secret.
    pub fn shown(&self, properties: &Properties) -> Properties {
        properties
            .iter()
            .filter(|(name, value)| {
                !self.find(name).is_some_and(|declaration| declaration.hidden)
                    && SecretUrn::of(name, value).is_none()
            })
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

fn reserved(name: &str) -> CatalogError {
    CatalogError::Invalid(format!("property `{name}` is reserved and cannot be set"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: PropertyDeclarations = PropertyDeclarations(&[
        PropertyDeclaration::optional("uri", PropertyKind::Text, "where").required(),
        PropertyDeclaration::optional("password", PropertyKind::Text, "secret").hidden(),
        PropertyDeclaration::optional("mode", PropertyKind::OneOf(&["a", "b"]), "mode").immutable(),
        PropertyDeclaration::optional("in-use", PropertyKind::Boolean, "state").reserved(),
        PropertyDeclaration::optional("size", PropertyKind::Integer, "size"),
    ]);

    fn properties(pairs: &[(&str, &str)]) -> Properties {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn check(pairs: &[(&str, &str)], expected: Result<(), &str>) {
        let result = DECLARED.check_new(&properties(pairs));
        assert_eq!(
            result,
            expected.map_err(|message| CatalogError::Invalid(message.to_owned()))
        );
    }

    #[test]
    fn new_objects_are_checked() {
        check(
            &[("uri", "x"), ("mode", "A"), ("size", "-3"), ("else", "kept")],
            Ok(()),
        );
        check(&[], Err("properties are required and must be set: [uri]"));
        check(
            &[("uri", "x"), ("mode", "c")],
            Err("the value of property `mode` must be one of `a`, `b`"),
        );
        check(
            &[("uri", "x"), ("size", "1.5")],
            Err("the value of property `size` must be a whole number"),
        );
        check(
            &[("uri", "x"), ("in-use", "true")],
            Err("property `in-use` is reserved and cannot be set"),
        );
    }

    #[test]
    fn changes_are_checked() {
        assert!(DECLARED.check_change("uri", Some("y")).is_ok());
        assert!(DECLARED.check_change("uri", None).is_err());
        assert!(DECLARED.check_change("mode", Some("a")).is_err());
        assert!(DECLARED.check_change("in-use", None).is_err());
        assert!(DECLARED.check_change("else", None).is_ok());
    }

    #[test]
    fn hidden_properties_are_not_shown() {
        assert_eq!(
            DECLARED.shown(&properties(&[
                ("uri", "x"),
                ("password", "p"),
                ("k", "v"),
                ("s", "urn:gravitino-secret:vault:x:s"),
            ])),
            properties(&[("uri", "x"), ("k", "v")])
        );
    }
}
