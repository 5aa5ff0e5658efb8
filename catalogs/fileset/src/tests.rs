// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The provider as its host sees it.

use std::collections::BTreeMap;
use std::sync::Arc;

use lakeward_catalog::conformance;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::fileset_catalog::{FilesetCreation, FilesetPlace, PlannedFileset};
use lakeward_catalog::provider::{CatalogContext, Provider, ProviderFactory};
use lakeward_metadata::Properties;
use lakeward_metadata::fileset::FilesetType;

use crate::FilesetFactory;

fn pairs(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn connect(properties: &[(&str, &str)]) -> Result<Arc<dyn Provider>, CatalogError> {
    let properties = pairs(properties);
    FilesetFactory.catalog_properties().check_new(&properties)?;
    let context = CatalogContext {
        metalake: "m".to_owned(),
        catalog: "files".to_owned(),
        default_warehouse_root: None,
    };
    FilesetFactory.connect(&context, &properties)
}

/// Properties of a catalog or schema.
type Pairs<'a> = &'a [(&'a str, &'a str)];

/// Plans a managed fileset `s1.f` in a catalog at `/srv/filesets`.
fn planned(
    (catalog, schema): (Pairs<'_>, Pairs<'_>),
    locations: &[(&str, &str)],
    properties: &[(&str, &str)],
) -> Result<PlannedFileset, CatalogError> {
    let provider = connect(catalog)?;
    let place = FilesetPlace {
        schema: "s1".to_owned(),
        name: "f".to_owned(),
        schema_properties: pairs(schema),
    };
    let creation = FilesetCreation {
        fileset_type: FilesetType::Managed,
        storage_locations: pairs(locations),
        properties: pairs(properties),
    };
    let filesets = provider.filesets().unwrap();
    filesets.plan_create_fileset(&place, &creation)
}

fn shown(planned: &PlannedFileset) -> Vec<(&str, &str)> {
    planned
        .locations
        .iter()
        .map(|location| (location.name.as_str(), location.shown.as_str()))
        .collect()
}

const AT: &[(&str, &str)] = &[("location", "file:///srv/filesets")];

#[tokio::test]
async fn the_contract_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    let provider = connect(&[("location", root.to_str().unwrap())]).unwrap();
    conformance::check_filesets(provider.filesets().unwrap(), root.to_str().unwrap())
        .await
        .unwrap();
}

#[test]
fn locations_come_from_catalog_and_schema() {
    let check = |parents, locations, expected: &[(&str, &str)]| {
        let default = [("default-location-name", expected[0].0)];
        let planned = planned(parents, locations, &default).unwrap();
        assert_eq!(shown(&planned), expected);
    };
    check((AT, &[]), &[], &[("unknown", "file:/srv/filesets/s1/f")]);
    check(
        (AT, &[("location", "/srv/own/")]),
        &[],
        &[("unknown", "file:/srv/own/f")],
    );
    check(
        (AT, &[]),
        &[("main", "file:///srv/a"), ("backup", "s3a://b/a")],
        &[
            ("backup", "s3a://b/a"),
            ("main", "file:/srv/a"),
            ("unknown", "file:/srv/filesets/s1/f"),
        ],
    );
    check(
        (&[("location-x", "/srv/x")], &[("location-y", "/srv/y")]),
        &[],
        &[("x", "file:/srv/x/s1/f"), ("y", "file:/srv/y/f")],
    );
    check(
        (&[("location", "/srv/{{schema}}/of/{{catalog}}/{{fileset}}")], &[]),
        &[],
        &[("unknown", "file:/srv/s1/of/files/f")],
    );
}

#[test]
fn the_default_location_is_the_only_one_or_a_named_one() {
    let default = |planned: PlannedFileset| planned.properties.get("default-location-name").cloned();
    assert_eq!(
        default(planned((AT, &[]), &[], &[]).unwrap()).as_deref(),
        Some("unknown")
    );
    let two = [("a", "/srv/a"), ("b", "/srv/b")];
    let named = planned((AT, &[]), &two, &[("default-location-name", "b")]).unwrap();
    assert_eq!(default(named).as_deref(), Some("b"));
    for properties in [&[][..], &[("default-location-name", "c")]] {
        let refused = planned((AT, &[]), &two, properties).unwrap_err();
        assert!(refused.to_string().contains("`a`, `b`, `unknown`"), "{refused}");
    }
    let refused = planned((AT, &[]), &[], &[("default-location-name", "c")]);
    assert!(matches!(refused, Err(CatalogError::Invalid(_))));
}

#[test]
fn locations_that_cannot_be_are_refused() {
    for locations in [
        // The schema's own folder, and what it lies in.
        [("unknown", "/srv/filesets/s1")],
        [("unknown", "/srv")],
        [("unknown", "/")],
        [("unknown", "s3a://bucket")],
        [("unknown", "/srv/{{nobody}}/x")],
        [("unknown", "/srv/{{}}/x")],
        [("unknown", "/srv/x/../y")],
        [("unknown", "gopher://x/y")],
        [("unknown", " ")],
        [(" ", "/srv/x")],
    ] {
        assert!(planned((AT, &[]), &locations, &[]).is_err(), "{locations:?}");
    }
    let climbing = planned(
        (AT, &[]),
        &[("unknown", "/srv/{{up}}/x")],
        &[("placeholder-up", "../..")],
    );
    assert!(matches!(climbing, Err(CatalogError::LocationRefused(_))));
    assert!(planned((&[], &[]), &[], &[]).is_err(), "nothing says where");
    for properties in [
        [("location", " ")],
        [("location", "/a/../b")],
        [("location-", "/a")],
        [("location-x", "")],
        [("location-unknown", "/a")],
    ] {
        assert!(connect(&properties).is_err(), "{properties:?}");
    }
}

#[test]
fn a_catalog_can_say_where_filesets_may_lie() {
    let catalog: &[(&str, &str)] = &[("lakeward.allowed-locations", "/srv/a, s3://b/x")];
    for (location, may) in [
        ("/srv/a/f", true),
        ("s3a://b/x/f", true),
        ("/srv/a2/f", false),
        ("/srv", false),
        ("s3a://b2/x", false),
    ] {
        let planned = planned((catalog, &[]), &[("unknown", location)], &[]);
        assert_eq!(planned.is_ok(), may, "{location}");
    }
    assert!(connect(&[("lakeward.allowed-locations", "/a/../b")]).is_err());
}

#[test]
fn credentials_are_given_out_only_where_filesets_may_lie() {
    let vending = [
        ("credential-providers", "s3-token"),
        ("s3-access-key-id", "id"),
        ("s3-secret-access-key", "secret"),
        ("s3-region", "r"),
        ("s3-role-arn", "arn:aws:iam::123456789012:role/r"),
    ];
    for (allowed, may) in [(None, false), (Some(" , "), false), (Some("s3://b/x"), true)] {
        let mut properties = vending.to_vec();
        properties.extend(allowed.map(|allowed| ("lakeward.allowed-locations", allowed)));
        assert_eq!(connect(&properties).is_ok(), may, "{allowed:?}");
    }
}

#[test]
fn links_are_named_by_what_they_lead_to() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    std::fs::create_dir(root.join("real")).unwrap();
    std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
    let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
    assert!(planned((&[], &[]), &[("unknown", &at("real/x"))], &[]).is_ok());
    let refused = planned((&[], &[]), &[("unknown", &at("link/x"))], &[]).unwrap_err();
    assert!(refused.to_string().contains("real/x"), "{refused}");
}

#[tokio::test]
async fn a_catalog_can_leave_files_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    let at = format!("file://{}/f", root.display());
    let catalog: &[(&str, &str)] = &[("disable-filesystem-ops", "true")];
    assert!(
        planned((catalog, &[]), &[("unknown", "/srv/x")], &[]).is_err(),
        "no scheme"
    );
    let planned = planned((catalog, &[]), &[("unknown", &at)], &[]).unwrap();
    let provider = connect(catalog).unwrap();
    let filesets = provider.filesets().unwrap();
    assert!(filesets.make_folders(&planned).await.unwrap().0.is_empty());
    assert!(!root.join("f").exists());
    std::fs::create_dir(root.join("f")).unwrap();
    let location = &planned.locations[0];
    assert!(matches!(
        filesets.list_files(&location.canonical, "/").await,
        Err(CatalogError::Unsupported(_))
    ));
    filesets.remove_files(&location.canonical).await.unwrap();
    assert!(root.join("f").exists());
}

#[test]
fn secrets_and_reserved_properties_are_declared() {
    let secret = pairs(&[("s3-secret-access-key", "x"), ("k", "v")]);
    for declared in [
        FilesetFactory.catalog_properties(),
        FilesetFactory.schema_properties(),
        FilesetFactory.fileset_properties(),
    ] {
        assert_eq!(declared.shown(&secret), Properties::from(pairs(&[("k", "v")])));
    }
    let declared = FilesetFactory.fileset_properties();
    for name in ["default-location-name", "placeholder-user", "placeholder-schema"] {
        assert!(declared.check_change(name, Some("x")).is_err(), "{name}");
    }
    assert!(declared.check_change("other", Some("x")).is_ok());
}
