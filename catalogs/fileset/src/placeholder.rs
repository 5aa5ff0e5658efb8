// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `{{name}}` in locations.

use std::collections::BTreeMap;

use lakeward_catalog::error::CatalogError;
use lakeward_metadata::Properties;

/// How the properties of a fileset begin that give placeholders their values.
pub(crate) const PLACEHOLDER: &str = "placeholder-";

/// What stands for the placeholders of one fileset's locations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Values<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Values<'a> {
    /// The caller's values. The names of the objects cannot be given otherwise.
    pub(crate) fn new(properties: &'a Properties, names: [(&'a str, &'a str); 3]) -> Self {
        let given = properties
            .iter()
            .filter_map(|(name, value)| Some((name.strip_prefix(PLACEHOLDER)?, value.as_str())));
        Self(given.chain(names).collect())
    }
}

/// A piece of a location.
enum Piece<'a> {
    Text(&'a str),
    Placeholder(&'a str),
}

/// The pieces of a location in their order.
fn pieces(location: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = location;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else {
            break;
        };
        pieces.push(Piece::Text(before));
        pieces.push(Piece::Placeholder(name));
        rest = behind;
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// Whether a location has a placeholder.
pub(crate) fn has_placeholder(location: &str) -> bool {
    pieces(location)
        .iter()
        .any(|piece| matches!(piece, Piece::Placeholder(_)))
}

/// Refuses a placeholder without a name.
///
/// # Errors
/// [`CatalogError::Invalid`].
pub(crate) fn check(location: &str) -> Result<(), CatalogError> {
    if pieces(location)
        .iter()
        .any(|piece| matches!(piece, Piece::Placeholder("")))
    {
        return Err(CatalogError::Invalid(format!(
            "the location `{location}` has a placeholder without a name; write `{{{{name}}}}`"
        )));
    }
    Ok(())
}

/// The location with a value for each placeholder.
///
/// # Errors
/// [`CatalogError::Invalid`] for a placeholder without a value.
pub(crate) fn replaced(location: &str, values: &Values<'_>) -> Result<String, CatalogError> {
    check(location)?;
    let mut text = String::new();
    for piece in pieces(location) {
        match piece {
            Piece::Text(piece) => text.push_str(piece),
            Piece::Placeholder(name) => {
                let Some(value) = values.0.get(name) else {
                    return Err(CatalogError::Invalid(format!(
                        "the location `{location}` has the placeholder `{name}`, which has no value: set the property \
                         `{PLACEHOLDER}{name}`"
                    )));
                };
                text.push_str(value);
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_get_their_values() {
        let properties = Properties::from([
            ("placeholder-user".to_owned(), "ann".to_owned()),
            ("placeholder-catalog".to_owned(), "forged".to_owned()),
        ]);
        let values = Values::new(&properties, [("catalog", "c"), ("schema", "s"), ("fileset", "f")]);
        let check = |location: &str, expected: &str| {
            assert_eq!(replaced(location, &values).as_deref(), Ok(expected), "{location}");
        };
        check("/a/b", "/a/b");
        check("/a/{{catalog}}/{{schema}}/{{fileset}}-{{user}}", "/a/c/s/f-ann");
        check("/a/{{open", "/a/{{open");
        for refused in ["/a/{{}}", "/a/{{nobody}}", "/a/{{ user}}"] {
            assert!(replaced(refused, &values).is_err(), "{refused}");
        }
        assert!(has_placeholder("/{{x}}/y"));
        assert!(!has_placeholder("/{{x/y"));
    }
}
