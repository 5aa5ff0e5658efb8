// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Cases and properties of locations.

use proptest::prelude::*;

use super::*;

fn check(text: &str, expected: Result<&str, &str>) {
    match (Location::parse(text), expected) {
        (Ok(location), Ok(canonical)) => {
            assert_eq!(location.to_string(), canonical, "for {text}");
            assert_eq!(Location::parse(canonical).unwrap(), location);
        }
        (Err(error), Err(part)) => {
            assert!(error.to_string().contains(part), "{error} should contain {part}");
        }
        (outcome, _) => assert_eq!(format!("{outcome:?}"), format!("{expected:?}"), "for {text}"),
    }
}

#[test]
fn spellings_of_one_place_are_one_location() {
    check("file:/srv/w/t", Ok("file:///srv/w/t"));
    check("file:///srv/w/t/", Ok("file:///srv/w/t"));
    check("/srv/w/t", Ok("file:///srv/w/t"));
    check("FILE:///srv/W", Ok("file:///srv/W"));
    check("s3a://b/x/t", Ok("s3://b/x/t"));
    check("s3://b", Ok("s3://b"));
    check("s3://b/", Ok("s3://b"));
    check("gs://b/x/t/", Ok("gs://b/x/t"));
    check("GS://b", Ok("gs://b"));
    check(
        "abfs://c@A.dfs.core.windows.net/x/",
        Ok("abfss://c@a.dfs.core.windows.net/x"),
    );
    check(
        "abfss://c@a.DFS.core.windows.net/",
        Ok("abfss://c@a.dfs.core.windows.net"),
    );
    check("file:///a b/ü", Ok("file:///a b/ü"));
}

#[test]
fn traversal_and_ambiguity_are_refused() {
    check("s3://b/x/../y", Err("`.` or `..`"));
    check("s3://b/./y", Err("`.` or `..`"));
    check("s3://b//x", Err("empty segment"));
    check("s3://b/x//", Err("empty segment"));
    check("s3://b/%2e%2E/x", Err("encoded"));
    check("s3://b/a%2Fb", Err("encoded"));
    check("s3://b/a?b", Err("control character"));
    check("s3://b/a#b", Err("control character"));
    check("file:///a\\b", Err("control character"));
    check("file://host/a", Err("no host"));
    check("relative/a", Err("absolute"));
    check("gs:/b/x", Err("gs://bucket"));
    check("gs://b@evil/x", Err("bucket name"));
    check("gs://b/x/../y", Err("`.` or `..`"));
    check("gs://b//x", Err("empty segment"));
    let host = "a.dfs.core.windows.net";
    check(&format!("abfss://c@{host}/x/%2e./y"), Err("encoded"));
    check(&format!("abfss://c@{host}//x"), Err("empty segment"));
    for place in [
        "c@a.dfs.example.com",
        "c@evil.com/a.dfs.core.windows.net",
        "c@a.b.dfs.core.windows.net",
        "c@x@a.dfs.core.windows.net",
        "c@a.dfs.core.windows.net:80",
        "c@.dfs.core.windows.net",
        "@a.dfs.core.windows.net",
        "C@a.dfs.core.windows.net",
        "a.dfs.core.windows.net",
        "",
    ] {
        check(&format!("abfss://{place}/x"), Err("abfss://container@account"));
    }
    check(&format!("wasbs://c@{host}/x"), Err("abfss://container@account"));
    check("hdfs://b/x", Err("only `file`"));
    check("s3:/b/x", Err("s3://bucket"));
    check("s3:///x", Err("bucket name"));
    check("s3://b@evil/x", Err("bucket name"));
}

#[test]
fn overlap_goes_by_segments() {
    let check = |one: &str, other: &str, expected: bool| {
        let (one, other) = (Location::parse(one).unwrap(), Location::parse(other).unwrap());
        assert_eq!(one.overlaps(&other), expected);
        assert_eq!(other.overlaps(&one), expected);
    };
    check("s3://b/x/t", "s3a://b/x/t", true);
    check("s3://b/x/t", "s3://b/x/t/u", true);
    check("s3://b/x/t", "s3://b/x/t2", false);
    check("s3://b/x", "s3://c/x", false);
    check("file:/a", "/a/", true);
    check("gs://b/x", "s3://b/x", false);
    check("gs://b/x", "gs://b/x/t", true);
    check(
        "abfs://c@a.dfs.core.windows.net/x",
        "abfss://c@A.dfs.core.windows.net/x/t",
        true,
    );
    check(
        "abfss://c@a.dfs.core.windows.net/x",
        "abfss://c@b.dfs.core.windows.net/x",
        false,
    );
    check("s3://b", "s3://b/x", true);
}

#[test]
fn odd_names_get_safe_and_distinct_folders() {
    assert_eq!(folder_name("orders_2"), "orders_2");
    assert_eq!(folder_name("a.b"), "a.b");
    for name in ["a b", "a+b", "a/b", "ü", "%1F", "..", ".", "", "a:b", "a?b", "*"] {
        let folder = folder_name(name);
        assert!(flaw(&folder).is_none() && !folder.contains('/'), "{folder}");
        assert_ne!(folder, name);
        assert_eq!(folder, folder_name(name));
    }
    assert_ne!(folder_name("a b"), folder_name("a+b"));
}

proptest! {
    #[test]
    fn every_name_gives_one_segment(name in ".{0,80}", other in ".{0,80}") {
        let base = Location::parse("s3://b/w").unwrap();
        let child = base.child(&folder_name(&name)).unwrap();
        prop_assert!(child.is_within(&base) && child != base);
        prop_assert_eq!(Location::parse(&child.to_string()).unwrap(), child.clone());
        if name != other {
            prop_assert!(!child.overlaps(&base.child(&folder_name(&other)).unwrap()));
        }
    }

    #[test]
    fn parsing_is_idempotent(text in "(s3://b|gs://b|abfs://c@A.dfs.core.windows.net|file://)(/[a-z.%0-9]{0,6}){0,4}") {
        if let Ok(location) = Location::parse(&text) {
            prop_assert_eq!(Location::parse(&location.to_string()).unwrap(), location);
        }
    }
}
