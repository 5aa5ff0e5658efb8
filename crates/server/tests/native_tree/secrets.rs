// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Properties whose values are kept by providers of secrets: used where they are needed, shown nowhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lakeward_catalog::registry::Registry;
use serde_json::{Value, json};

use crate::in_process::Database;
use crate::scene::{ILLEGAL, Place, Server, WITH_AUTHORIZATION, on_both_stores};

on_both_stores!(
    a_catalog_has_its_secrets_from_their_providers,
    secrets_of_filesets_live_as_long_as_they,
    what_cannot_be_kept_is_refused,
    containers_take_secrets_along
);

const CATALOGS: &str = "/api/metalakes/m/catalogs";
const FILESETS: &str = "/api/metalakes/m/catalogs/files/schemas/s/filesets";

/// What nobody but a provider may ever see.
const PSSST: &str = "pssst-7c1f2a";

/// A server with a provider of each kind; `PATH` is in every environment.
struct Scene {
    server: Server,
    folder: tempfile::TempDir,
    pairs: Vec<(&'static str, String)>,
}

fn providers() -> Registry {
    lakeward_server::providers().with(Arc::new(Database))
}

fn settings<'a>(pairs: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
    let pairs = pairs.iter().map(|(key, value)| (*key, value.as_str()));
    WITH_AUTHORIZATION.iter().copied().chain(pairs).collect()
}

impl Scene {
    async fn new(place: &Place) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("secrets")).unwrap();
        let text = |text: &str| text.to_owned();
        let pairs = vec![
            ("gravitino.secret.providers", text("memory,env,files")),
            (
                "gravitino.secret.provider.memory.className",
                text("org.apache.gravitino.secret.memory.InMemorySecretsProvider"),
            ),
            (
                "gravitino.secret.provider.env.className",
                text("EnvironmentSecretsProvider"),
            ),
            ("gravitino.secret.provider.env.prefix", text("PATH")),
            (
                "gravitino.secret.provider.files.className",
                text("FileSecretsProvider"),
            ),
            (
                "gravitino.secret.provider.files.folder",
                folder.path().join("secrets").to_str().unwrap().to_owned(),
            ),
            (
                "gravitino.secret.provider.files.uri",
                text("https://wiki.example/x"),
            ),
        ];
        let server = Server::start_with_providers(place, &settings(&pairs), providers()).await;
        server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
        Self {
            server,
            folder,
            pairs,
        }
    }

    async fn restarted(mut self, place: &Place) -> Self {
        self.server = self
            .server
            .restarted_with(place, &settings(&self.pairs), providers())
            .await;
        self
    }

    fn secret(&self, file: &str) -> PathBuf {
        self.folder.path().join("secrets").join(file)
    }

    /// What the provider of files keeps for objects.
    fn kept(&self) -> Vec<String> {
        let Ok(files) = std::fs::read_dir(self.secret("bound")) else {
            return Vec::new();
        };
        files
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
            .collect()
    }

    /// Whether a catalog's provider is connected with what is right.
    async fn answers(&self, catalog: &str) -> (u16, Value) {
        let path = format!("{CATALOGS}/{catalog}/testConnection");
        let (status, answer) = self.server.call("admin", "POST", &path, None).await;
        (status, answer["code"].clone())
    }

    async fn filesets(&self) {
        let catalog = json!({"name": "files", "type": "FILESET", "comment": "c",
            "properties": {"location": format!("file://{}/data", self.folder.path().display())}});
        self.server.done("POST", CATALOGS, catalog).await;
        let schemas = format!("{CATALOGS}/files/schemas");
        self.server.done("POST", &schemas, json!({"name": "s"})).await;
    }
}

fn database(name: &str) -> Value {
    json!({"name": name, "type": "RELATIONAL", "provider": "jdbc-postgresql", "properties":
        {"jdbc-url": "jdbc:postgresql://localhost/x", "jdbc-driver": "d", "jdbc-database": "x", "jdbc-user": "u"}})
}

fn with(mut body: Value, member: &str, value: Value) -> Value {
    body[member] = value;
    body
}

fn bound(provider: &str) -> Value {
    json!({"provider": provider, "plaintext": PSSST})
}

/// Whether any file below a folder has the secret.
fn leaks(folder: &Path) -> Option<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read(&path)
                .unwrap()
                .windows(PSSST.len())
                .any(|window| window == PSSST.as_bytes())
            {
                return Some(path);
            }
        }
    }
    None
}

async fn a_catalog_has_its_secrets_from_their_providers(place: Place) {
    let mut scene = Scene::new(&place).await;
    let (_, shown) = scene
        .server
        .call("admin", "GET", "/configs/secrets/providers", None)
        .await;
    assert_eq!(
        shown,
        json!({"providers": [{"name": "memory", "type": "memory"}, {"name": "env", "type": "environment"},
            {"name": "files", "type": "file", "uri": "https://wiki.example/x"}]})
    );
    std::fs::write(scene.secret("password"), "x\n").unwrap();
    let reference = json!({"jdbc-password": {"provider": "files", "attributes": {"file": "password"}}});
    let body = with(database("pg"), "secretReferences", reference);
    // The password comes with a test as with a creation.
    let test = format!("{CATALOGS}/testConnection");
    assert_eq!(
        scene
            .server
            .call("admin", "POST", &test, Some(body.clone()))
            .await
            .1["code"],
        0
    );
    let created = scene.server.done("POST", CATALOGS, body).await;
    assert_eq!(created["catalog"]["properties"]["jdbc-password"], Value::Null);
    assert_eq!(
        created["catalog"]["properties"]["jdbc-url"],
        "jdbc:postgresql://localhost/x"
    );
    assert_eq!(scene.answers("pg").await, (200, json!(0)));
    // It is asked for each time, so that it can be replaced where it is, and go and come.
    std::fs::write(scene.secret("password"), PSSST).unwrap();
    assert_ne!(scene.answers("pg").await.1, 0);
    std::fs::remove_file(scene.secret("password")).unwrap();
    let (status, answer) = scene
        .server
        .call("admin", "POST", &format!("{CATALOGS}/pg/testConnection"), None)
        .await;
    assert_ne!(answer["code"], 0, "{status} {answer}");
    assert!(!answer.to_string().contains("password"), "{answer}");
    std::fs::write(scene.secret("password"), "x").unwrap();
    for (name, provider) in [("bound", "files"), ("fleeting", "memory")] {
        let secret = json!({"jdbc-password": {"provider": provider, "plaintext": "x"}});
        let body = with(database(name), "secretBindings", secret);
        scene.server.done("POST", CATALOGS, body).await;
        assert_eq!(scene.answers(name).await, (200, json!(0)));
    }
    assert_eq!(scene.kept(), ["x"]);
    scene = scene.restarted(&place).await;
    assert_eq!(scene.answers("pg").await, (200, json!(0)));
    assert_eq!(scene.answers("bound").await, (200, json!(0)));
    assert_ne!(scene.answers("fleeting").await.1, 0, "memory does not survive");
    let listed = scene
        .server
        .done("GET", &format!("{CATALOGS}?details=true"), None)
        .await;
    assert!(!listed.to_string().contains("gravitino-secret"), "{listed}");
    // A value in its place ends the secret.
    let change = json!({"updates": [{"@type": "setProperty", "property": "jdbc-password", "value": "x"}]});
    scene
        .server
        .done("PUT", &format!("{CATALOGS}/bound"), change)
        .await;
    assert_eq!(
        (scene.answers("bound").await, scene.kept().len()),
        ((200, json!(0)), 0)
    );
    let urn = json!({"updates": [{"@type": "setProperty", "property": "jdbc-password",
        "value": "urn:gravitino-secret:files:password:jdbc-password"}]});
    scene
        .server
        .refused(("admin", "PUT", &format!("{CATALOGS}/bound")), urn, ILLEGAL)
        .await;
}

async fn secrets_of_filesets_live_as_long_as_they(place: Place) {
    let mut scene = Scene::new(&place).await;
    scene.filesets().await;
    let body = json!({"name": "f", "properties": {"a": "1"},
        "secretBindings": {"s3-secret-access-key": bound("files"), "k2": bound("memory")},
        "secretReferences": {"path": {"provider": "env", "attributes": {"variable": "PATH"}}}});
    let created = scene.server.done("POST", FILESETS, body.clone()).await;
    let expected = json!({"a": "1", "default-location-name": "unknown"});
    assert_eq!(created["fileset"]["properties"], expected);
    assert_eq!(scene.kept(), [PSSST]);
    let f = format!("{FILESETS}/f");
    assert_eq!(
        scene.server.done("GET", &f, None).await["fileset"]["properties"],
        expected
    );
    scene = scene.restarted(&place).await;
    assert_eq!(
        scene.server.done("GET", &f, None).await["fileset"]["properties"],
        expected
    );
    // A name that is taken keeps nothing, and takes nothing away.
    let taken = (409, 1004, "FilesetAlreadyExistsException");
    scene
        .server
        .refused(("admin", "POST", FILESETS), body, taken)
        .await;
    assert_eq!(scene.kept(), [PSSST]);
    let renamed = json!({"updates": [{"@type": "rename", "newName": "g"}]});
    scene.server.done("PUT", &f, renamed).await;
    assert_eq!(scene.kept(), [PSSST]);
    // Whatever could be asked, nothing that the server wrote has it.
    let explained =
        "/api/metalakes/m/explain?user=admin&operation=LoadFileset&type=FILESET&fullName=files.s.g";
    let (_, explained) = scene.server.call("admin", "GET", explained, None).await;
    assert!(!explained.to_string().contains(PSSST), "{explained}");
    scene.server.call("nobody", "GET", &f, None).await;
    assert_eq!(leaks(scene.server.folder.path()), None);
    // Nor does a fileset get at the folder of secrets.
    let inside = json!({"name": "h", "type": "EXTERNAL",
        "storageLocation": format!("file://{}", scene.secret("bound").display())});
    scene
        .server
        .refused(("admin", "POST", FILESETS), inside, ILLEGAL)
        .await;
    scene.server.done("DELETE", &format!("{FILESETS}/g"), None).await;
    assert_eq!(scene.kept(), Vec::<String>::new());
}

async fn what_cannot_be_kept_is_refused(place: Place) {
    let scene = Scene::new(&place).await;
    scene.filesets().await;
    let server = &scene.server;
    std::fs::write(scene.secret("key"), PSSST).unwrap();
    let binding = |property: &str, secret: Value| json!({"name": "f", "secretBindings": {property: secret}});
    let reference = |provider: &str, attributes: Value| json!({"name": "f", "secretReferences": {"k": {"provider": provider, "attributes": attributes}}});
    for (body, part) in [
        (
            binding("k", bound("nope")),
            "there is no provider of secrets `nope`",
        ),
        (binding("k", bound("env")), "keeps nothing"),
        (binding("a/b", bound("memory")), "`a/b` must not be empty"),
        (binding("default-location-name", bound("memory")), "answers show"),
        (binding("placeholder-catalog", bound("memory")), "makes itself"),
        (
            binding(
                "k",
                json!({"provider": "memory", "plaintext": format!("{PSSST}{}", "x".repeat(65536))}),
            ),
            "larger than",
        ),
        (
            json!({"name": "f", "secretReferences": {
                "s3-access-key-id": {"provider": "env", "attributes": {"variable": "PATH"}}}}),
            "refers to no secret",
        ),
        (reference("memory", json!({"path": "x"})), "nothing to refer to"),
        (
            reference("env", json!({"name": "PATH"})),
            "the one attribute `variable`",
        ),
        (reference("env", json!({"variable": "HOME"})), "no such secret"),
        (reference("files", json!({"file": "nothing"})), "no such secret"),
        (reference("files", json!({"file": "bound"})), "no such secret"),
        (
            reference("files", json!({"file": "../key"})),
            "must not be empty and may have only",
        ),
        (
            json!({"name": "f", "secretBindings": {"k": PSSST}}),
            "an object is expected",
        ),
    ] {
        let (status, answer) = server.call("admin", "POST", FILESETS, Some(body.clone())).await;
        assert_eq!((status, &answer["code"]), (400, &json!(1001)), "{body}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains(part) && !message.contains(PSSST),
            "{part}: {message}"
        );
    }
    let visible = with(
        database("pg"),
        "secretBindings",
        json!({"jdbc-password": bound("memory"), "jdbc-url": bound("memory")}),
    );
    server
        .refused(("admin", "POST", CATALOGS), visible, ILLEGAL)
        .await;
    let unknown = json!({"jdbc-password": bound("memory"), "something": bound("files")});
    let unknown = with(database("pg"), "secretBindings", unknown);
    server
        .refused(("admin", "POST", CATALOGS), unknown, ILLEGAL)
        .await;
    let nowhere = format!("{CATALOGS}/files/schemas/nope/filesets");
    let no_schema = (404, 1003, "NoSuchSchemaException");
    server
        .refused(
            ("admin", "POST", &nowhere),
            binding("k", bound("files")),
            no_schema,
        )
        .await;
    assert_eq!(scene.kept(), Vec::<String>::new());
    assert!(!scene.folder.path().join("data/s/f").exists());
    assert_eq!(leaks(server.folder.path()), None);
}

async fn containers_take_secrets_along(place: Place) {
    let scene = Scene::new(&place).await;
    scene.filesets().await;
    let server = &scene.server;
    let fileset = |name: &str| json!({"name": name, "secretBindings": {"k": bound("files")}});
    let catalog = with(
        database("pg"),
        "secretBindings",
        json!({"jdbc-password": bound("files")}),
    );
    server.done("POST", CATALOGS, catalog).await;
    server.done("POST", FILESETS, fileset("f")).await;
    assert_eq!(scene.kept().len(), 2);
    let schema = format!("{CATALOGS}/files/schemas/s");
    server
        .done("DELETE", &format!("{schema}?cascade=true"), None)
        .await;
    assert_eq!(scene.kept().len(), 1);
    server
        .done("DELETE", &format!("{CATALOGS}/pg?force=true"), None)
        .await;
    assert_eq!(scene.kept().len(), 0);
    let schemas = format!("{CATALOGS}/files/schemas");
    server.done("POST", &schemas, json!({"name": "s"})).await;
    server.done("POST", FILESETS, fileset("f")).await;
    server.done("DELETE", "/api/metalakes/m?force=true", None).await;
    assert_eq!(scene.kept().len(), 0);
}
