// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Filesets over the native protocol, as recorded from the original: what comes and changes.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::scene::{ILLEGAL, Place, Server, on_both_stores};

on_both_stores!(
    filesets_come_and_go,
    locations_are_several_and_inherited,
    placeholders_are_replaced,
    a_restart_loses_nothing
);

pub(crate) const SCHEMAS: &str = "/api/metalakes/m/catalogs/files/schemas";
pub(crate) const FILESETS: &str = "/api/metalakes/m/catalogs/files/schemas/s1/filesets";

/// A server with a catalog of filesets in a folder of its own.
pub(crate) struct Scene {
    pub(crate) server: Server,
    folder: tempfile::TempDir,
}

impl Scene {
    pub(crate) async fn new(place: &Place) -> Self {
        Self::with(Server::start(place).await).await
    }

    pub(crate) async fn with(server: Server) -> Self {
        let scene = Self {
            server,
            folder: tempfile::tempdir().unwrap(),
        };
        scene
            .server
            .done("POST", "/api/metalakes", json!({"name": "m"}))
            .await;
        let catalog = json!({"name": "files", "type": "FILESET", "provider": "fileset", "comment": "files",
            "properties": {"location": format!("file://{}", scene.root().display())}});
        scene
            .server
            .done("POST", "/api/metalakes/m/catalogs", catalog)
            .await;
        scene.server.done("POST", SCHEMAS, json!({"name": "s1"})).await;
        scene
    }

    /// Where filesets lie, by its real name.
    pub(crate) fn root(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap()
    }

    /// A location as answers show it.
    pub(crate) fn shown(&self, name: &str) -> String {
        format!("file:{}/{name}", self.root().display())
    }

    /// A location as callers spell it.
    pub(crate) fn at(&self, name: &str) -> String {
        format!("file://{}/{name}", self.root().display())
    }

    pub(crate) async fn create(&self, body: Value) -> Value {
        plain(&self.server.done("POST", FILESETS, body).await)
    }

    /// Puts a file below the root.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// The fileset of an answer without its times.
fn plain(answer: &Value) -> Value {
    let mut fileset = answer["fileset"].clone();
    let audit = fileset["audit"].as_object_mut().unwrap();
    audit.retain(|name, _| name == "creator" || name == "lastModifier");
    fileset
}

async fn filesets_come_and_go(place: Place) {
    let scene = Scene::new(&place).await;
    let server = &scene.server;
    let new = json!({"name": "f1", "type": "MANAGED", "comment": "f one", "properties": {"a": "1"}});
    let expected = json!({"name": "f1", "comment": "f one", "type": "managed",
        "storageLocation": scene.shown("s1/f1"), "storageLocations": {"unknown": scene.shown("s1/f1")},
        "properties": {"a": "1", "default-location-name": "unknown"}, "audit": {"creator": "admin"}});
    assert_eq!(scene.create(new.clone()).await, expected);
    assert!(scene.root().join("s1/f1").is_dir());
    let taken = (409, 1004, "FilesetAlreadyExistsException");
    server.refused(("admin", "POST", FILESETS), new, taken).await;
    scene.write("ext/kept", "x");
    let external =
        json!({"name": "f2", "type": "EXTERNAL", "storageLocation": scene.at("ext"), "properties": {}});
    let expected_external = json!({"name": "f2", "type": "external",
        "storageLocation": scene.shown("ext"), "storageLocations": {"unknown": scene.shown("ext")},
        "properties": {"default-location-name": "unknown"}, "audit": {"creator": "admin"}});
    assert_eq!(scene.create(external).await, expected_external);
    let bare = scene.create(json!({"name": "f7"})).await;
    assert_eq!(bare["type"], "managed");
    scene.write("a-file", "x");
    for wrong in [
        json!({"name": "f3", "type": "EXTERNAL"}),
        json!({"name": "f8", "type": "WEIRD"}),
        json!({"name": ""}),
        json!({"name": "a/b"}),
        json!({"name": "f8", "bogus": 1}),
        json!({"name": "f8", "storageLocation": scene.at("a-file")}),
        json!({"name": "f8", "storageLocation": scene.at("a-file/below")}),
        json!({"name": "f8", "storageLocation": "gopher://x/y"}),
        json!({"name": "f8", "storageLocation": "file:///"}),
        json!({"name": "f8", "properties": {"placeholder-catalog": "x"}}),
        json!({"name": "f8", "properties": {"default-location-name": "other"}}),
        json!({"name": "f8", "properties": {"k": "urn:gravitino-secret:db:1"}}),
        json!({"name": "f8", "secretBindings": {"k": {"provider": "db", "plaintext": "x"}}}),
    ] {
        server.refused(("admin", "POST", FILESETS), wrong, ILLEGAL).await;
    }
    assert!(
        !scene.root().join("s1/f8").exists(),
        "a refused fileset leaves no folder"
    );
    let nowhere = format!("{SCHEMAS}/nope/filesets");
    let no_schema = (404, 1003, "NoSuchSchemaException");
    server
        .refused(("admin", "POST", &nowhere), json!({"name": "f1"}), no_schema)
        .await;
    server.refused(("admin", "GET", &nowhere), None, no_schema).await;
    let listed = server.done("GET", FILESETS, None).await;
    let named = |name: &str| json!({"namespace": ["m", "files", "s1"], "name": name});
    assert_eq!(
        listed["identifiers"],
        json!([named("f1"), named("f2"), named("f7")])
    );
    let f1 = format!("{FILESETS}/f1");
    assert_eq!(plain(&server.done("GET", &f1, None).await), expected);
    let missing = (404, 1003, "NoSuchFilesetException");
    for path in [format!("{FILESETS}/nope"), format!("{nowhere}/f1")] {
        server.refused(("admin", "GET", &path), None, missing).await;
    }
    let no_catalog = "/api/metalakes/m/catalogs/nope/schemas/s/filesets/f";
    server
        .refused(
            ("admin", "GET", no_catalog),
            None,
            (404, 1003, "NoSuchCatalogException"),
        )
        .await;
    let change = json!({"updates": [{"@type": "updateComment", "newComment": "c2"},
        {"@type": "setProperty", "property": "b", "value": "2"}, {"@type": "removeProperty", "property": "a"}]});
    let changed = plain(&server.done("PUT", &f1, change).await);
    assert_eq!(changed["comment"], "c2");
    assert_eq!(
        changed["properties"],
        json!({"b": "2", "default-location-name": "unknown"})
    );
    assert_eq!(changed["audit"]["lastModifier"], "admin");
    let bared = json!({"updates": [{"@type": "removeComment"}]});
    assert_eq!(
        plain(&server.done("PUT", &f1, bared).await)["comment"],
        Value::Null
    );
    server.done("PUT", &f1, json!({"updates": []})).await;
    for wrong in [
        json!({}),
        json!({"updates": [{"@type": "moveTo"}]}),
        json!({"updates": [{"@type": "rename", "newName": "a/b"}]}),
        json!({"updates": [{"@type": "setProperty", "property": "default-location-name", "value": "x"}]}),
        json!({"updates": [{"@type": "removeProperty", "property": "placeholder-x"}]}),
    ] {
        server.refused(("admin", "PUT", &f1), wrong, ILLEGAL).await;
    }
    let rename = |name: &str| json!({"updates": [{"@type": "rename", "newName": name}]});
    let f7 = format!("{FILESETS}/f7");
    let moved = plain(&server.done("PUT", &f7, rename("f7b")).await);
    assert_eq!(moved["name"], "f7b");
    assert_eq!(moved["storageLocation"], scene.shown("s1/f7"));
    let f7b = format!("{FILESETS}/f7b");
    // The original answers 500 here.
    server.refused(("admin", "PUT", &f7b), rename("f1"), taken).await;
    server.refused(("admin", "PUT", &f7), rename("x"), missing).await;
    let schema = format!("{SCHEMAS}/s1");
    server
        .refused(
            ("admin", "DELETE", &schema),
            None,
            (409, 1005, "NonEmptySchemaException"),
        )
        .await;
    assert_eq!(server.done("DELETE", &f7b, None).await["dropped"], true);
    assert_eq!(server.done("DELETE", &f7b, None).await["dropped"], false);
    let credentials = "/api/metalakes/m/objects/fileset/files.s1.f1/credentials";
    assert_eq!(
        server.done("GET", credentials, None).await["credentials"],
        json!([])
    );
    let off = (409, 1009, "MetalakeNotInUseException");
    server
        .done("PATCH", "/api/metalakes/m", json!({"inUse": false}))
        .await;
    server.refused(("admin", "GET", &f1), None, off).await;
    server.refused(("admin", "DELETE", &f1), None, off).await;
    assert!(scene.root().join("s1/f1").is_dir());
    server
        .done("PATCH", "/api/metalakes/m", json!({"inUse": true}))
        .await;
    server
        .done(
            "PATCH",
            "/api/metalakes/m/catalogs/files",
            json!({"inUse": false}),
        )
        .await;
    let off = (409, 1009, "CatalogNotInUseException");
    server.refused(("admin", "GET", &f1), None, off).await;
}

async fn locations_are_several_and_inherited(place: Place) {
    let scene = Scene::new(&place).await;
    let two = json!({"main": scene.at("f4a"), "backup": scene.at("f4b")});
    let made = scene
        .create(json!({"name": "f4", "type": "MANAGED", "storageLocations": two,
            "properties": {"default-location-name": "main"}}))
        .await;
    assert_eq!(made["storageLocation"], scene.shown("s1/f4"));
    let expected =
        json!({"backup": scene.shown("f4b"), "main": scene.shown("f4a"), "unknown": scene.shown("s1/f4")});
    assert_eq!(made["storageLocations"], expected);
    assert_eq!(made["properties"], json!({"default-location-name": "main"}));
    for name in ["f4a", "f4b", "s1/f4"] {
        assert!(scene.root().join(name).is_dir(), "{name}");
    }
    // Which is the default must be said.
    let unsaid = json!({"name": "f5", "storageLocations": {"a": scene.at("f5a"), "b": scene.at("f5b")}});
    scene
        .server
        .refused(("admin", "POST", FILESETS), unsaid, ILLEGAL)
        .await;
    assert!(!scene.root().join("f5a").exists());
    // A schema's own folder stands for the catalog's; a single location is shown as the one without a name.
    let schema =
        json!({"name": "s2", "properties": {"location": scene.at("own"), "location-x": scene.at("x")}});
    scene.server.done("POST", SCHEMAS, schema).await;
    let path = format!("{SCHEMAS}/s2/filesets");
    let body = json!({"name": "f", "storageLocation": scene.at("given"), "properties": {"default-location-name": "x"}});
    let made = scene.server.done("POST", &path, body).await;
    assert_eq!(
        made["fileset"]["storageLocations"],
        json!({"unknown": scene.shown("given"), "x": scene.shown("x/f")})
    );
    let above =
        json!({"name": "g", "storageLocation": scene.at(""), "properties": {"default-location-name": "x"}});
    scene
        .server
        .refused(("admin", "POST", &path), above, ILLEGAL)
        .await;
    // Without any folder to inherit, a fileset says where it lies.
    let bare = json!({"name": "bare", "type": "fileset"});
    scene.server.done("POST", "/api/metalakes/m/catalogs", bare).await;
    let schemas = "/api/metalakes/m/catalogs/bare/schemas";
    scene.server.done("POST", schemas, json!({"name": "s"})).await;
    let path = format!("{schemas}/s/filesets");
    scene
        .server
        .refused(("admin", "POST", &path), json!({"name": "f"}), ILLEGAL)
        .await;
    let named = json!({"name": "f", "storageLocations": {"only": scene.at("only")}});
    let made = scene.server.done("POST", &path, named).await;
    assert_eq!(made["fileset"]["storageLocation"], Value::Null);
    assert_eq!(
        made["fileset"]["properties"],
        json!({"default-location-name": "only"})
    );
}

async fn placeholders_are_replaced(place: Place) {
    let scene = Scene::new(&place).await;
    let location = scene.at("{{catalog}}/{{schema}}/{{fileset}}-{{user}}");
    let body = json!({"name": "f6", "storageLocation": location, "properties": {"placeholder-user": "ann"}});
    let made = scene.create(body).await;
    assert_eq!(made["storageLocation"], scene.shown("files/s1/f6-ann"));
    assert_eq!(
        made["properties"],
        json!({"placeholder-user": "ann", "default-location-name": "unknown"})
    );
    for (location, properties) in [
        ("{{user}}", json!({})),
        ("{{}}", json!({})),
        ("{{user}}", json!({"placeholder-user": ".."})),
        ("{{user}}/x", json!({"placeholder-user": "../../etc"})),
        ("x{{user}}", json!({"placeholder-user": "/%2e%2e/y"})),
    ] {
        let body = json!({"name": "f9", "storageLocation": scene.at(location), "properties": properties});
        scene
            .server
            .refused(("admin", "POST", FILESETS), body, ILLEGAL)
            .await;
    }
    // Of a schema, for every fileset in it.
    let schema = json!({"name": "p", "properties": {"location": scene.at("by/{{owner}}/{{fileset}}")}});
    scene.server.done("POST", SCHEMAS, schema).await;
    let path = format!("{SCHEMAS}/p/filesets");
    let body = json!({"name": "f", "properties": {"placeholder-owner": "bob"}});
    let made = scene.server.done("POST", &path, body).await;
    assert_eq!(made["fileset"]["storageLocation"], scene.shown("by/bob/f"));
}

async fn a_restart_loses_nothing(place: Place) {
    let scene = Scene::new(&place).await;
    let two = json!({"name": "f1", "comment": "c", "storageLocations": {"b": scene.at("b")},
        "properties": {"default-location-name": "b", "k": "v"}});
    let made = scene.create(two).await;
    scene.write("b/file", "hello");
    let Scene { server, folder } = scene;
    let scene = Scene {
        server: server.restarted(&place).await,
        folder,
    };
    let path = format!("{FILESETS}/f1");
    assert_eq!(plain(&scene.server.done("GET", &path, None).await), made);
    let files = scene.server.done("GET", &format!("{path}/files"), None).await;
    assert_eq!(files["files"][0]["name"], "file");
    // It still knows which files are its own.
    scene.server.done("DELETE", &path, None).await;
    assert!(!scene.root().join("b").exists());
}
