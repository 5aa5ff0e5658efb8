// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Versions of models, as recorded from the original, but that a taken alias is a conflict also when it is added later.

use futures::future::join_all;
use serde_json::{Value, json};

use crate::models::{ALIASES, MODEL, MODELS, NO_MODEL, VERSIONS, link, numbers, shown, with_model};
use crate::scene::{ILLEGAL, Place, on_both_stores};

on_both_stores!(
    versions_are_linked_and_found,
    versions_change_and_end,
    the_uri_that_is_meant,
    what_is_wrong_is_refused,
    links_at_the_same_time,
);

const NO_VERSION: (u16, i32, &str) = (404, 1003, "NoSuchModelVersionException");
const TAKEN_ALIAS: (u16, i32, &str) = (409, 1004, "ModelVersionAliasesAlreadyExistException");

async fn versions_are_linked_and_found(place: Place) {
    let server = with_model(&place).await;
    let first = json!({"uri": "s3://bucket/m1/0", "aliases": ["champion", "latest"], "comment": "v0",
        "properties": {"acc": "0.9"}});
    link(&server, first).await;
    let several =
        json!({"uris": {"unknown": "hdfs://a/1", "s3": "s3://b/1"}, "aliases": [], "comment": "v1"});
    link(&server, several).await;
    server
        .refused(
            ("admin", "POST", VERSIONS),
            json!({"uri": "u", "aliases": ["champion"]}),
            TAKEN_ALIAS,
        )
        .await;
    for wrong in [
        json!({"aliases": ["x"]}),
        json!({"uri": ""}),
        json!({"uris": {}}),
        json!({"uris": {"": "u"}}),
        json!({"uris": {"a": " "}}),
        json!({"uri": "u", "aliases": ["12"]}),
        json!({"uri": "u", "aliases": [""]}),
        json!({"uri": "u", "version": 4}),
    ] {
        server.refused(("admin", "POST", VERSIONS), wrong, ILLEGAL).await;
    }
    // The bare URI wins over the one of its name.
    link(
        &server,
        json!({"uri": "u", "uris": {"a": "b", "unknown": "lost"}}),
    )
    .await;
    let elsewhere = format!("{MODELS}/nope/versions");
    for (method, body) in [("POST", Some(json!({"uri": "u"}))), ("GET", None)] {
        server
            .refused(("admin", method, &elsewhere), body, NO_MODEL)
            .await;
    }
    // A version of no model is a version that does not exist, as in the original; to change it takes the model.
    for path in ["versions/0", "aliases/a", "versions/0/uri", "aliases/a/uri"] {
        let path = format!("{MODELS}/nope/{path}");
        server.refused(("admin", "GET", &path), None, NO_VERSION).await;
    }
    let nothing = json!({"updates": []});
    server
        .refused(
            ("admin", "PUT", &format!("{MODELS}/nope/versions/0")),
            nothing,
            NO_MODEL,
        )
        .await;
    assert_eq!(numbers(&server).await, json!([0, 1, 2]));

    let zero = json!({"version": 0, "comment": "v0", "aliases": ["champion", "latest"], "uri": "s3://bucket/m1/0",
        "uris": {"unknown": "s3://bucket/m1/0"}, "properties": {"acc": "0.9"}, "audit": {"creator": "admin"}});
    let one = json!({"version": 1, "comment": "v1", "aliases": [], "uri": "hdfs://a/1",
        "uris": {"s3": "s3://b/1", "unknown": "hdfs://a/1"}, "properties": {}, "audit": {"creator": "admin"}});
    let two = json!({"version": 2, "aliases": [], "uri": "u", "uris": {"a": "b", "unknown": "u"}, "properties": {},
        "audit": {"creator": "admin"}});
    let listed = server
        .done("GET", &format!("{VERSIONS}?details=true"), None)
        .await;
    let infos: Vec<Value> = listed["infos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|info| shown(&json!({ "info": info }), "info"))
        .collect();
    assert_eq!(infos, [zero.clone(), one.clone(), two]);
    for (path, expected) in [
        (format!("{VERSIONS}/0"), &zero),
        (format!("{ALIASES}/champion"), &zero),
        (format!("{ALIASES}/latest"), &zero),
        (format!("{VERSIONS}/1"), &one),
    ] {
        let found = server.done("GET", &path, None).await;
        assert_eq!(shown(&found, "modelVersion"), *expected, "{path}");
    }
    for path in [
        format!("{VERSIONS}/99"),
        format!("{VERSIONS}/-1"),
        format!("{VERSIONS}/abc"),
        format!("{ALIASES}/zz"),
        // An alias is no number, so a number is no alias.
        format!("{ALIASES}/0"),
    ] {
        server.refused(("admin", "GET", &path), None, NO_VERSION).await;
    }
    // Without a URI called `unknown` there is none to show apart.
    link(&server, json!({"uris": {"a": "b"}})).await;
    let three = server.done("GET", &format!("{VERSIONS}/3"), None).await;
    assert_eq!(three["modelVersion"].get("uri"), None);
    // Linking counts, and is no change of the model.
    let model = server.done("GET", MODEL, None).await;
    assert_eq!(model["model"]["latestVersion"], 4);
    assert_eq!(model["model"]["audit"].get("lastModifier"), None);
}

async fn versions_change_and_end(place: Place) {
    let server = with_model(&place).await;
    let first = json!({"uri": "s3://bucket/m1/0", "aliases": ["champion", "latest"], "comment": "v0",
        "properties": {"acc": "0.9"}});
    link(&server, first).await;
    link(
        &server,
        json!({"uris": {"unknown": "hdfs://a/1", "s3": "s3://b/1"}}),
    )
    .await;
    let zero = format!("{VERSIONS}/0");
    let changes = json!({"updates": [{"@type": "updateComment", "newComment": "v0b"},
        {"@type": "setProperty", "property": "p", "value": "q"}, {"@type": "removeProperty", "property": "acc"},
        {"@type": "updateUri", "newUri": "s3://bucket/m1/0b"}, {"@type": "addUri", "uriName": "alt", "uri": "s3://alt"},
        {"@type": "updateAliases", "aliasesToAdd": ["prod"], "aliasesToRemove": ["latest"]}]});
    let mut expected = json!({"version": 0, "comment": "v0b", "aliases": ["champion", "prod"], "uri": "s3://bucket/m1/0b",
        "uris": {"alt": "s3://alt", "unknown": "s3://bucket/m1/0b"}, "properties": {"p": "q"},
        "audit": {"creator": "admin", "lastModifier": "admin"}});
    let changed = server.done("PUT", &zero, changes).await;
    assert_eq!(shown(&changed, "modelVersion"), expected);
    assert_eq!(
        shown(&server.done("GET", &zero, None).await, "modelVersion"),
        expected
    );
    server
        .refused(("admin", "GET", &format!("{ALIASES}/latest")), None, NO_VERSION)
        .await;
    let by_alias = format!("{ALIASES}/prod");
    let remove = json!({"updates": [{"@type": "removeUri", "uriName": "alt"}, {"@type": "removeUri", "uriName": "alt"}]});
    let changed = server.done("PUT", &by_alias, remove).await;
    expected["uris"] = json!({"unknown": "s3://bucket/m1/0b"});
    assert_eq!(shown(&changed, "modelVersion"), expected);

    let comment = json!({"updates": [{"@type": "updateComment", "newComment": "x"}]});
    for path in [
        format!("{VERSIONS}/99"),
        format!("{ALIASES}/zz"),
        format!("{VERSIONS}/abc"),
    ] {
        server
            .refused(("admin", "PUT", &path), comment.clone(), NO_VERSION)
            .await;
    }
    // What is there stays, what is not there is not made.
    let one = format!("{VERSIONS}/1");
    let idle = json!({"updates": [{"@type": "addUri", "uriName": "s3", "uri": "zz"},
        {"@type": "updateUri", "uriName": "absent", "newUri": "zz"},
        {"@type": "updateAliases", "aliasesToAdd": ["both"], "aliasesToRemove": ["both", "absent"]}]});
    let changed = server.done("PUT", &one, idle).await;
    assert_eq!(
        changed["modelVersion"]["uris"],
        json!({"s3": "s3://b/1", "unknown": "hdfs://a/1"})
    );
    assert_eq!(changed["modelVersion"]["aliases"], json!([]));
    assert_eq!(
        server.done("PUT", &one, json!({"updates": []})).await["modelVersion"]["version"],
        1
    );
    let steal = json!({"updates": [{"@type": "updateComment", "newComment": "lost"},
        {"@type": "updateAliases", "aliasesToAdd": ["mine", "prod"], "aliasesToRemove": []}]});
    server.refused(("admin", "PUT", &one), steal, TAKEN_ALIAS).await;
    let after = server.done("GET", &one, None).await;
    assert_eq!(after["modelVersion"].get("comment"), None);
    assert_eq!(after["modelVersion"]["aliases"], json!([]));
    for wrong in [
        json!({}),
        json!({"updates": [{"@type": "updateAliases"}]}),
        json!({"updates": [{"@type": "updateAliases", "aliasesToAdd": ["7"]}]}),
        json!({"updates": [{"@type": "updateAliases", "aliasesToAdd": [7]}]}),
        json!({"updates": [{"@type": "updateUri", "newUri": ""}]}),
        json!({"updates": [{"@type": "addUri", "uri": "u"}]}),
        json!({"updates": [{"@type": "removeUri"}]}),
        json!({"updates": [{"@type": "rename", "newName": "x"}]}),
        // Something must be left.
        json!({"updates": [{"@type": "removeUri", "uriName": "s3"}, {"@type": "removeUri", "uriName": "unknown"}]}),
    ] {
        server.refused(("admin", "PUT", &one), wrong, ILLEGAL).await;
    }

    assert_eq!(server.done("DELETE", &by_alias, None).await["dropped"], true);
    assert_eq!(server.done("DELETE", &by_alias, None).await["dropped"], false);
    assert_eq!(server.done("DELETE", &zero, None).await["dropped"], false);
    let nowhere = format!("{MODELS}/nope/versions/0");
    assert_eq!(server.done("DELETE", &nowhere, None).await["dropped"], false);
    // The alias is free, the number is not given again.
    link(&server, json!({"uri": "u3", "aliases": ["champion"]})).await;
    assert_eq!(numbers(&server).await, json!([1, 2]));
    assert_eq!(
        server.done("DELETE", &format!("{VERSIONS}/2"), None).await["dropped"],
        true
    );
    link(&server, json!({"uri": "u4"})).await;
    assert_eq!(numbers(&server).await, json!([1, 3]));
    assert_eq!(server.done("GET", MODEL, None).await["model"]["latestVersion"], 4);
    // A rename of the model keeps all of it.
    let rename = json!({"updates": [{"@type": "rename", "newName": "m9"}]});
    server.done("PUT", MODEL, rename).await;
    let moved = server.done("GET", &format!("{MODELS}/m9/versions"), None).await;
    assert_eq!(moved["versions"], json!([1, 3]));
}

async fn the_uri_that_is_meant(place: Place) {
    let server = with_model(&place).await;
    link(
        &server,
        json!({"uri": "s3://bucket/m1/0", "aliases": ["champion"]}),
    )
    .await;
    link(
        &server,
        json!({"uris": {"unknown": "hdfs://a/1", "s3": "s3://b/1"}, "aliases": ["both"]}),
    )
    .await;
    let uri = async |path: &str| server.done("GET", path, None).await;
    for path in [format!("{VERSIONS}/0/uri"), format!("{ALIASES}/champion/uri")] {
        assert_eq!(uri(&path).await, json!({"code": 0, "uri": "s3://bucket/m1/0"}));
    }
    for path in [format!("{VERSIONS}/1/uri"), format!("{ALIASES}/both/uri")] {
        server.refused(("admin", "GET", &path), None, ILLEGAL).await;
        assert_eq!(uri(&format!("{path}?uriName=s3")).await["uri"], "s3://b/1");
        server
            .refused(
                ("admin", "GET", &format!("{path}?uriName=zz")),
                None,
                (404, 1003, "NoSuchModelVersionURINameException"),
            )
            .await;
    }
    for path in [format!("{VERSIONS}/9/uri"), format!("{ALIASES}/zz/uri")] {
        server.refused(("admin", "GET", &path), None, NO_VERSION).await;
    }
    // A default of the model, then one of the version, which is nearer.
    let default = |name: &str| json!({"updates": [{"@type": "setProperty", "property": "default-uri-name", "value": name}]});
    server.done("PUT", MODEL, default("unknown")).await;
    assert_eq!(uri(&format!("{VERSIONS}/1/uri")).await["uri"], "hdfs://a/1");
    server.done("PUT", &format!("{VERSIONS}/1"), default("s3")).await;
    assert_eq!(uri(&format!("{ALIASES}/both/uri")).await["uri"], "s3://b/1");
    assert_eq!(
        uri(&format!("{VERSIONS}/1/uri?uriName=unknown")).await["uri"],
        "hdfs://a/1"
    );
}

async fn what_is_wrong_is_refused(place: Place) {
    let server = with_model(&place).await;
    for wrong in [
        json!({"uri": 5}),
        json!({"uri": "u", "aliases": "x"}),
        json!({"uri": "u", "aliases": [null]}),
        json!({"uri": "u", "aliases": ["a\u{0}b"]}),
        json!({"uri": "u", "aliases": ["x".repeat(129)]}),
        json!({"uris": {"x".repeat(129): "u"}}),
        json!({"uris": ["u"]}),
        json!({"uri": "u", "properties": {"a": 1}}),
        json!([]),
    ] {
        server.refused(("admin", "POST", VERSIONS), wrong, ILLEGAL).await;
    }
    assert_eq!(numbers(&server).await, json!([]));
}

async fn links_at_the_same_time(place: Place) {
    let server = with_model(&place).await;
    let server = &server;
    let answers = join_all((0..16).map(|number| async move {
        // Every fourth one wants the same alias.
        let aliases = if number % 4 == 0 {
            json!(["latest"])
        } else {
            json!([])
        };
        let body = json!({"uri": format!("u{number}"), "aliases": aliases});
        server.call("admin", "POST", VERSIONS, Some(body)).await
    }))
    .await;
    let mut statuses: Vec<u16> = answers.iter().map(|(status, _)| *status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [[200; 13].as_slice(), &[409; 3]].concat());
    for (status, answer) in &answers {
        if *status == 409 {
            assert_eq!(answer["type"], TAKEN_ALIAS.2);
            assert!(
                answer["message"].as_str().unwrap().contains("`latest`"),
                "{answer}"
            );
        }
    }
    assert_eq!(numbers(server).await, json!((0..13).collect::<Vec<i32>>()));
    // The same with versions that change: one gets the alias, and no change is lost.
    let answers = join_all((0..8).map(|number| async move {
        let body = json!({"updates": [{"@type": "updateAliases", "aliasesToAdd": ["prod"]},
            {"@type": "setProperty", "property": format!("p{number}"), "value": "x"}]});
        server
            .call("admin", "PUT", &format!("{VERSIONS}/{}", number % 4), Some(body))
            .await
            .0
    }))
    .await;
    assert!(
        answers.iter().all(|status| [200, 409].contains(status)),
        "{answers:?}"
    );
    let winner = server.done("GET", &format!("{ALIASES}/prod"), None).await;
    let held = answers.iter().filter(|status| **status == 200).count();
    assert_eq!(
        winner["modelVersion"]["properties"].as_object().unwrap().len(),
        held
    );
}
