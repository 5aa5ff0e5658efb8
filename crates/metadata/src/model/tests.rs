// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Aliases, changes of versions, and which URI is meant.

use super::*;

fn texts(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn body(uris: &[(&str, &str)]) -> ModelVersionBody {
    ModelVersionBody {
        comment: None,
        aliases: texts(&["champion"]),
        uris: map(uris),
        properties: Properties::new(),
    }
}

#[test]
fn an_alias_is_no_number() {
    for alias in [
        "0", "12", "-3", "+4", "1.5", ".5", "5.", "1e3", "12L", "1f", "2D", "0x1F", "#ff", "0x1FL",
    ] {
        assert_eq!(
            check_alias(alias),
            Err(ModelVersionError::Number(alias.to_owned())),
            "{alias}"
        );
    }
    for alias in [
        "champion", "v1", "1a", "1.2.3", "-", "+", "e3", "nan", "inf", "0x", "#", "f", "1 2", "é",
    ] {
        assert_eq!(check_alias(alias), Ok(()), "{alias}");
    }
    assert_eq!(check_alias(" "), Err(ModelVersionError::Blank("an alias")));
    assert_eq!(check_alias("a\0"), Err(ModelVersionError::Control("an alias")));
    let longest = "a".repeat(MAX_ALIAS_CHARS);
    assert_eq!(check_alias(&longest), Ok(()));
    assert_eq!(
        check_alias(&format!("{longest}a")),
        Err(ModelVersionError::TooLong("an alias"))
    );
}

#[test]
fn changes_are_applied_in_order() {
    let mut version = body(&[("unknown", "s3://a")]);
    let text = str::to_owned;
    for change in [
        ModelVersionChange::UpdateComment(Some(text("c"))),
        ModelVersionChange::SetProperty {
            property: text("k"),
            value: text("v"),
        },
        ModelVersionChange::RemoveProperty(text("absent")),
        ModelVersionChange::UpdateUri {
            name: text("unknown"),
            uri: text("s3://b"),
        },
        ModelVersionChange::UpdateUri {
            name: text("absent"),
            uri: text("s3://x"),
        },
        ModelVersionChange::AddUri {
            name: text("unknown"),
            uri: text("s3://x"),
        },
        ModelVersionChange::AddUri {
            name: text("alt"),
            uri: text("s3://c"),
        },
        ModelVersionChange::UpdateAliases {
            add: texts(&["prod", "both"]),
            remove: texts(&["champion", "both", "absent"]),
        },
    ] {
        version.apply(change);
    }
    assert_eq!(version.comment.as_deref(), Some("c"));
    assert_eq!(version.properties, map(&[("k", "v")]));
    assert_eq!(version.uris, map(&[("unknown", "s3://b"), ("alt", "s3://c")]));
    assert_eq!(version.aliases, texts(&["prod"]));
    version.apply(ModelVersionChange::RemoveUri(text("alt")));
    version.apply(ModelVersionChange::RemoveUri(text("absent")));
    assert_eq!(version.check(), Ok(()));
    version.apply(ModelVersionChange::RemoveUri(text("unknown")));
    assert_eq!(version.check(), Err(ModelVersionError::NoUri));
}

#[test]
fn the_uri_is_the_named_the_only_or_the_default_one() {
    let none = Properties::new();
    let one = body(&[("x", "s3://x")]);
    assert_eq!(one.uri(None, &none), Ok("s3://x"));
    // A default does not matter where there is one alone; a name does.
    assert_eq!(one.uri(None, &map(&[(DEFAULT_URI_NAME, "y")])), Ok("s3://x"));
    assert_eq!(one.uri(Some("y"), &none), Err(UriError::Unknown("y".to_owned())));
    let mut two = body(&[("x", "s3://x"), ("y", "s3://y")]);
    assert_eq!(two.uri(None, &none), Err(UriError::Ambiguous));
    assert_eq!(two.uri(Some("y"), &none), Ok("s3://y"));
    assert_eq!(two.uri(None, &map(&[(DEFAULT_URI_NAME, "y")])), Ok("s3://y"));
    two.properties = map(&[(DEFAULT_URI_NAME, "x")]);
    assert_eq!(two.uri(None, &map(&[(DEFAULT_URI_NAME, "y")])), Ok("s3://x"));
    two.properties = map(&[(DEFAULT_URI_NAME, "z")]);
    assert_eq!(two.uri(None, &none), Err(UriError::Unknown("z".to_owned())));
}
