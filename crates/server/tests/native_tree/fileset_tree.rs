// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Filesets in the tree: the schemas that they are in, what goes together, and what refers to them.

use serde_json::{Value, json};

use crate::filesets::{FILESETS, SCHEMAS, Scene};
use crate::scene::{ILLEGAL, Place, on_both_stores};

on_both_stores!(
    schemas_of_filesets,
    files_go_with_managed_filesets_only,
    containers_take_their_managed_files_along,
    tags_policies_owners_and_roles_refer_to_filesets
);

async fn schemas_of_filesets(place: Place) {
    let scene = Scene::new(&place).await;
    let server = &scene.server;
    let catalog = server.done("GET", "/api/metalakes/m/catalogs/files", None).await;
    assert_eq!(catalog["catalog"]["provider"], "fileset");
    assert_eq!(
        catalog["catalog"]["properties"],
        json!({"location": format!("file://{}", scene.root().display()), "in-use": "true"})
    );
    // An old client's name of the provider, and none at all.
    for (name, provider) in [("old", json!("hadoop")), ("bare", Value::Null)] {
        let body = json!({"name": name, "type": "fileset", "provider": provider, "properties": {}});
        let made = server.done("POST", "/api/metalakes/m/catalogs", body).await;
        assert_eq!(made["catalog"]["provider"], "fileset");
        assert_eq!(made["catalog"]["properties"], json!({"in-use": "true"}));
        let path = format!("/api/metalakes/m/catalogs/{name}/testConnection");
        server.done("POST", &path, None).await;
    }
    let wrong = json!({"name": "wrong", "type": "fileset", "properties": {"location": " "}});
    server
        .refused(("admin", "POST", "/api/metalakes/m/catalogs"), wrong, ILLEGAL)
        .await;
    let new =
        json!({"name": "s2", "comment": "c", "properties": {"location": scene.at("elsewhere"), "k": "v"}});
    let made = server.done("POST", SCHEMAS, new).await;
    assert_eq!(
        made["schema"]["properties"],
        json!({"location": scene.at("elsewhere"), "k": "v"})
    );
    let taken = (409, 1004, "SchemaAlreadyExistsException");
    server
        .refused(("admin", "POST", SCHEMAS), json!({"name": "s1"}), taken)
        .await;
    for name in ["a/b", "a.b", "a:b", ""] {
        server
            .refused(("admin", "POST", SCHEMAS), json!({"name": name}), ILLEGAL)
            .await;
    }
    for properties in [
        json!({"location": ""}),
        json!({"location": "file:///a/../b"}),
        json!({"location-": "file:///a"}),
        json!({"location-unknown": "file:///a"}),
    ] {
        let body = json!({"name": "wrong", "properties": properties});
        server.refused(("admin", "POST", SCHEMAS), body, ILLEGAL).await;
    }
    let listed = server.done("GET", SCHEMAS, None).await;
    let names =
        json!([{"namespace": ["m", "files"], "name": "s1"}, {"namespace": ["m", "files"], "name": "s2"}]);
    assert_eq!(listed["identifiers"], names);
    let schema = format!("{SCHEMAS}/s2");
    let change = json!({"updates": [{"@type": "setProperty", "property": "a", "value": "b"},
                                    {"@type": "removeProperty", "property": "k"}]});
    let changed = server.done("PUT", &schema, change).await;
    assert_eq!(
        changed["schema"]["properties"],
        json!({"location": scene.at("elsewhere"), "a": "b"})
    );
    for property in ["location", "location-x", "location-unknown"] {
        let change =
            json!({"updates": [{"@type": "setProperty", "property": property, "value": "file:///x"}]});
        server.refused(("admin", "PUT", &schema), change, ILLEGAL).await;
    }
    assert_eq!(server.done("DELETE", &schema, None).await["dropped"], true);
    assert_eq!(server.done("DELETE", &schema, None).await["dropped"], false);
    // Other kinds are not in such a catalog, and filesets are in no other.
    let unsupported = (405, 1006, "UnsupportedOperationException");
    for kind in ["tables", "views"] {
        let path = format!("{SCHEMAS}/s1/{kind}");
        server.refused(("admin", "GET", &path), None, unsupported).await;
    }
    server
        .done("POST", "/api/metalakes/m/catalogs", crate::scene::iceberg("ice"))
        .await;
    let ice = "/api/metalakes/m/catalogs/ice/schemas";
    server.done("POST", ice, json!({"name": "db"})).await;
    let path = format!("{ice}/db/filesets");
    server.refused(("admin", "GET", &path), None, unsupported).await;
    server
        .refused(("admin", "POST", &path), json!({"name": "f"}), unsupported)
        .await;
}

async fn files_go_with_managed_filesets_only(place: Place) {
    let scene = Scene::new(&place).await;
    scene
        .create(json!({"name": "mine", "storageLocations": {"b": scene.at("b")},
            "properties": {"default-location-name": "b"}}))
        .await;
    scene
        .create(json!({"name": "theirs", "type": "EXTERNAL", "storageLocation": scene.at("ext")}))
        .await;
    for name in ["s1/mine/dir/file", "b/file", "ext/file"] {
        scene.write(name, "x");
    }
    for name in ["mine", "theirs"] {
        scene
            .server
            .done("DELETE", &format!("{FILESETS}/{name}"), None)
            .await;
    }
    assert!(!scene.root().join("s1/mine").exists());
    assert!(!scene.root().join("b").exists());
    assert!(scene.root().join("ext/file").exists());
    // A name that comes back begins without files.
    scene.create(json!({"name": "mine"})).await;
    let files = scene
        .server
        .done("GET", &format!("{FILESETS}/mine/files"), None)
        .await;
    assert_eq!(files["files"], json!([]));
    // A fileset in another goes on when that one is dropped.
    scene
        .create(json!({"name": "inner", "storageLocation": scene.at("s1/mine/in")}))
        .await;
    scene.write("s1/mine/in/file", "x");
    scene
        .server
        .done("DELETE", &format!("{FILESETS}/mine"), None)
        .await;
    assert!(scene.root().join("s1/mine/in/file").exists());
}

async fn containers_take_their_managed_files_along(place: Place) {
    let scene = Scene::new(&place).await;
    let server = &scene.server;
    let schema = format!("{SCHEMAS}/s1");
    let refill = async || {
        scene.create(json!({"name": "mine"})).await;
        scene
            .create(json!({"name": "theirs", "type": "EXTERNAL", "storageLocation": scene.at("s1/ext")}))
            .await;
        scene.write("s1/mine/file", "x");
        scene.write("s1/ext/file", "x");
    };
    refill().await;
    server
        .done("DELETE", &format!("{schema}?cascade=true"), None)
        .await;
    assert!(!scene.root().join("s1/mine").exists());
    assert!(scene.root().join("s1/ext/file").exists());
    // The folder of the schema goes when nothing is left in it.
    std::fs::remove_dir_all(scene.root().join("s1/ext")).unwrap();
    server.done("POST", SCHEMAS, json!({"name": "s1"})).await;
    scene.create(json!({"name": "only"})).await;
    server
        .done("DELETE", &format!("{schema}?cascade=true"), None)
        .await;
    assert!(!scene.root().join("s1").exists());
    assert!(scene.root().exists());
    // The same for the catalog and the metalake.
    server.done("POST", SCHEMAS, json!({"name": "s1"})).await;
    refill().await;
    server
        .done("DELETE", "/api/metalakes/m/catalogs/files?force=true", None)
        .await;
    assert!(!scene.root().join("s1/mine").exists());
    assert!(scene.root().join("s1/ext/file").exists());
    let catalog = json!({"name": "files", "type": "FILESET", "properties": {"location": scene.root().to_str().unwrap()}});
    server.done("POST", "/api/metalakes/m/catalogs", catalog).await;
    server.done("POST", SCHEMAS, json!({"name": "s1"})).await;
    refill().await;
    server.done("DELETE", "/api/metalakes/m?force=true", None).await;
    assert!(!scene.root().join("s1/mine").exists());
    assert!(scene.root().join("s1/ext/file").exists());
}

async fn tags_policies_owners_and_roles_refer_to_filesets(place: Place) {
    let scene = Scene::new(&place).await;
    let server = &scene.server;
    scene.create(json!({"name": "f1"})).await;
    let object = "/api/metalakes/m/objects/fileset/files.s1.f1";
    server
        .done("POST", "/api/metalakes/m/tags", json!({"name": "pii"}))
        .await;
    let tagged = server
        .done("POST", &format!("{object}/tags"), json!({"tagsToAdd": ["pii"]}))
        .await;
    assert_eq!(tagged["names"], json!(["pii"]));
    let content = json!({"customRules": {}, "properties": {}, "supportedObjectTypes": ["fileset"]});
    let policy = json!({"name": "ret", "policyType": "custom", "enabled": true, "content": content});
    server.done("POST", "/api/metalakes/m/policies", policy).await;
    let attached = server
        .done(
            "POST",
            &format!("{object}/policies"),
            json!({"policiesToAdd": ["ret"]}),
        )
        .await;
    assert_eq!(attached["names"], json!(["ret"]));
    server
        .done("POST", "/api/metalakes/m/users", json!({"name": "bob"}))
        .await;
    let role = json!({"name": "reader", "securableObjects": [{"type": "FILESET", "fullName": "files.s1.f1",
        "privileges": [{"name": "READ_FILESET", "condition": "ALLOW"}]}]});
    server.done("POST", "/api/metalakes/m/roles", role).await;
    // A table privilege means nothing below a catalog of filesets.
    let odd = json!({"name": "odd", "securableObjects": [{"type": "SCHEMA", "fullName": "files.s1",
        "privileges": [{"name": "CREATE_TABLE", "condition": "ALLOW"}]}]});
    let illegal = (400, 1001, "IllegalPrivilegeException");
    server
        .refused(("admin", "POST", "/api/metalakes/m/roles"), odd, illegal)
        .await;
    let owner = "/api/metalakes/m/owners/fileset/files.s1.f1";
    server
        .done("PUT", owner, json!({"name": "bob", "type": "USER"}))
        .await;
    // A rename keeps all of it.
    let rename = json!({"updates": [{"@type": "rename", "newName": "f2"}]});
    server.done("PUT", &format!("{FILESETS}/f1"), rename).await;
    let object = "/api/metalakes/m/objects/fileset/files.s1.f2";
    for (what, names) in [("tags", "pii"), ("policies", "ret"), ("roles", "reader")] {
        let listed = server.done("GET", &format!("{object}/{what}"), None).await;
        assert_eq!(listed["names"], json!([names]), "{what}");
    }
    let owner = "/api/metalakes/m/owners/fileset/files.s1.f2";
    let found = server.done("GET", owner, None).await;
    assert_eq!(found["owner"], json!({"name": "bob", "type": "user"}));
    let objects = server
        .done("GET", "/api/metalakes/m/tags/pii/objects", None)
        .await;
    assert_eq!(objects["metadataObjects"][0]["fullName"], "files.s1.f2");
    assert_eq!(objects["metadataObjects"][0]["type"], "fileset");
    // Statistics are of tables.
    let path = format!("{object}/statistics");
    let body = json!({"updates": {"custom-a": 1}});
    server
        .refused(
            ("admin", "PUT", &path),
            body,
            (405, 1006, "UnsupportedOperationException"),
        )
        .await;
    server.done("DELETE", &format!("{FILESETS}/f2"), None).await;
    let objects = server
        .done("GET", "/api/metalakes/m/tags/pii/objects", None)
        .await;
    assert_eq!(objects["metadataObjects"], json!([]));
}
