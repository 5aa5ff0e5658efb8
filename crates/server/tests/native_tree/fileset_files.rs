// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What lies in filesets, and that nothing outside is ever told of.

use serde_json::{Value, json};

use crate::filesets::{FILESETS, Scene};
use crate::scene::{ILLEGAL, Place};

async fn scene() -> Scene {
    let scene = Scene::new(&Place::Embedded).await;
    scene.create(json!({"name": "f1"})).await;
    scene
        .create(
            json!({"name": "f4", "storageLocations": {"main": scene.at("f4a"), "backup": scene.at("f4b")},
            "properties": {"default-location-name": "main"}}),
        )
        .await;
    scene
}

/// The value of a query parameter.
fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

#[tokio::test]
async fn locations_are_told() {
    let scene = scene().await;
    let told = async |query: &str| {
        let path = format!("{FILESETS}/{query}");
        scene.server.done("GET", &path, None).await["fileLocation"].clone()
    };
    for (query, expected) in [
        ("f1/location?sub_path=a/b", "s1/f1/a/b"),
        ("f1/location?sub_path=/a//b/", "s1/f1/a/b"),
        ("f1/location?sub_path=", "s1/f1"),
        ("f1/location?sub_path=%2F", "s1/f1"),
        ("f4/location?sub_path=x&location_name=backup", "f4b/x"),
        ("f4/location?sub_path=x", "f4a/x"),
        // As clients of the first generation send a blank: encoded twice.
        ("f1/location?sub_path=a%2520b", "s1/f1/a b"),
        (
            "f1/location?sub_path=file:///etc/passwd",
            "s1/f1/file:/etc/passwd",
        ),
    ] {
        assert_eq!(told(query).await, scene.shown(expected), "{query}");
    }
    let path = format!("{FILESETS}/f1/location");
    scene.server.refused(("admin", "GET", &path), None, ILLEGAL).await;
    let no_name = (404, 1003, "NoSuchLocationNameException");
    for what in ["files", "location"] {
        let path = format!("{FILESETS}/f4/{what}?sub_path=x&location_name=zz");
        scene.server.refused(("admin", "GET", &path), None, no_name).await;
    }
    let missing = (404, 1003, "NoSuchFilesetException");
    for what in ["files", "location?sub_path=x"] {
        let path = format!("{FILESETS}/nope/{what}");
        scene.server.refused(("admin", "GET", &path), None, missing).await;
    }
}

#[tokio::test]
async fn files_are_listed() {
    let scene = scene().await;
    scene.write("s1/f1/hello.txt", "hello\n");
    scene.write("s1/f1/dir/in/deep", "x");
    scene.write("f4b/there", "xy");
    let listed = async |query: &str| {
        let path = format!("{FILESETS}/{query}");
        let mut files = scene.server.done("GET", &path, None).await["files"].clone();
        for file in files.as_array_mut().unwrap() {
            let modified = file.as_object_mut().unwrap().remove("lastModified").unwrap();
            assert!(modified.as_i64().unwrap() > 1_600_000_000_000, "{modified}");
        }
        files
    };
    let root = json!([
        {"name": "dir", "isDir": true, "size": 0, "path": "/fileset/files/s1/f1/"},
        {"name": "hello.txt", "isDir": false, "size": 6, "path": "/fileset/files/s1/f1/"},
    ]);
    assert_eq!(listed("f1/files?sub_path=/").await, root);
    assert_eq!(listed("f1/files").await, root);
    let inner = json!([{"name": "in", "isDir": true, "size": 0, "path": "/fileset/files/s1/f1/dir"}]);
    assert_eq!(listed("f1/files?sub_path=dir").await, inner);
    assert_eq!(listed("f1/files?sub_path=/dir/").await, inner);
    assert_eq!(listed("f4/files").await, json!([]));
    assert_eq!(
        listed("f4/files?location_name=backup").await,
        json!([{"name": "there", "isDir": false, "size": 2, "path": "/fileset/files/s1/f4/"}])
    );
    for absent in ["/zz", "hello.txt", "dir/in/deep", "hello.txt/x"] {
        let path = format!("{FILESETS}/f1/files?sub_path={absent}");
        scene.server.refused(("admin", "GET", &path), None, ILLEGAL).await;
    }
    // A folder that somebody removed.
    std::fs::remove_dir_all(scene.root().join("f4a")).unwrap();
    let path = format!("{FILESETS}/f4/files");
    scene.server.refused(("admin", "GET", &path), None, ILLEGAL).await;
}

#[tokio::test]
async fn no_path_leads_out() {
    let scene = scene().await;
    scene.write("outside/secret", "secret");
    scene.write("s1/f1/dir/file", "x");
    let inside = scene.root().join("s1/f1");
    for (name, target) in [
        ("link", "outside"),
        ("dir/link", "outside"),
        ("file-link", "outside/secret"),
        ("nowhere", "gone"),
        ("loop", "s1/f1/loop"),
    ] {
        std::os::unix::fs::symlink(scene.root().join(target), inside.join(name)).unwrap();
    }
    let attacks = [
        "..",
        "../",
        "/..",
        "../f2",
        "dir/../../f2",
        "dir/..",
        "./x",
        "%2e%2e/outside",
        "..%2foutside",
        "%252e%252e/outside",
        "..%5coutside",
        "..\\outside",
        "dir/%2e%2e/%2e%2e",
        "a\u{0}b",
        "a\nb",
        "link",
        "link/secret",
        "dir/link",
        "dir/link/secret",
        "file-link",
        "nowhere",
        "nowhere/x",
        "loop",
        "loop/x",
    ];
    for attack in attacks {
        for what in ["files", "location"] {
            // Encoded once, as new clients do, and twice.
            for sub_path in [encoded(attack), encoded(&encoded(attack))] {
                let path = format!("{FILESETS}/f1/{what}?sub_path={sub_path}");
                let (status, answer) = scene.server.call("admin", "GET", &path, None).await;
                assert_eq!(status, 400, "{what} of {attack}: {answer}");
                assert!(!answer.to_string().contains("secret\""), "{answer}");
            }
        }
    }
    // Links are not listed either: what they lead to is nobody's business.
    let files = scene
        .server
        .done("GET", &format!("{FILESETS}/f1/files"), None)
        .await;
    let names: Vec<&Value> = files["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["name"])
        .collect();
    assert_eq!(names, [&json!("dir")]);
    // The folder itself turned into a link: nothing is listed, and nothing outside is deleted.
    std::fs::rename(&inside, scene.root().join("moved")).unwrap();
    std::os::unix::fs::symlink(scene.root().join("outside"), &inside).unwrap();
    for what in ["files", "location?sub_path=secret"] {
        let path = format!("{FILESETS}/f1/{what}");
        scene.server.refused(("admin", "GET", &path), None, ILLEGAL).await;
    }
    let path = format!("{FILESETS}/f1");
    scene
        .server
        .refused(("admin", "DELETE", &path), None, ILLEGAL)
        .await;
    assert!(scene.root().join("outside/secret").exists());
    std::fs::remove_file(&inside).unwrap();
    scene.server.done("DELETE", &path, None).await;
    assert!(scene.root().join("outside/secret").exists());
}

#[tokio::test]
async fn long_paths_are_refused_and_a_new_generation_encodes_once() {
    let scene = scene().await;
    for sub_path in ["x".repeat(256), "x/".repeat(2049)] {
        let path = format!("{FILESETS}/f1/files?sub_path={sub_path}");
        scene.server.refused(("admin", "GET", &path), None, ILLEGAL).await;
    }
    let url = format!(
        "http://{}{FILESETS}/f1/location?sub_path=a%2520b%2Bc",
        scene.server.running.native_addr
    );
    for (version, expected) in [(None, "a b c"), (Some("0"), "a b c"), (Some("1"), "a%20b+c")] {
        let mut request = reqwest::Client::new().get(&url).basic_auth("admin", Some("x"));
        if let Some(version) = version {
            request = request.header("X-Client-Version", version);
        }
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert_eq!(answer["fileLocation"], scene.shown(&format!("s1/f1/{expected}")));
    }
}

#[tokio::test]
async fn the_folder_of_a_fileset_is_not_given_out_for_a_rename() {
    let scene = scene().await;
    let asked = async |query: &str, operation: &str| {
        let url = format!("http://{}{FILESETS}/{query}", scene.server.running.native_addr);
        let request = reqwest::Client::new().get(&url).basic_auth("admin", Some("x"));
        let request = request.header("FilesetDataOperation", operation);
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        answer
    };
    for root in [
        "sub_path=",
        "sub_path=%2F",
        "sub_path=//",
        "sub_path=&location_name=backup",
    ] {
        let query = format!("f4/location?{root}");
        assert_eq!(asked(&query, "RENAME").await["code"], 1006, "{root}");
        assert_eq!(asked(&query, "GET_FILE_STATUS").await["code"], 0, "{root}");
        assert_eq!(asked(&query, "nothing that is known").await["code"], 0, "{root}");
    }
    let told = asked("f4/location?sub_path=x", "RENAME").await;
    assert_eq!(told["fileLocation"], scene.shown("f4a/x"));
}

#[tokio::test]
async fn a_catalog_can_leave_files_alone() {
    let scene = scene().await;
    let catalog =
        json!({"name": "told", "type": "fileset", "properties": {"disable-filesystem-ops": "true"}});
    scene
        .server
        .done("POST", "/api/metalakes/m/catalogs", catalog)
        .await;
    let schemas = "/api/metalakes/m/catalogs/told/schemas";
    scene.server.done("POST", schemas, json!({"name": "s"})).await;
    let filesets = format!("{schemas}/s/filesets");
    let body = json!({"name": "f", "storageLocation": scene.at("told")});
    scene.server.done("POST", &filesets, body).await;
    assert!(!scene.root().join("told").exists());
    let bare = json!({"name": "g", "storageLocation": "/srv/told"});
    scene
        .server
        .refused(("admin", "POST", &filesets), bare, ILLEGAL)
        .await;
    let path = format!("{filesets}/f/files");
    let unsupported = (405, 1006, "UnsupportedOperationException");
    scene
        .server
        .refused(("admin", "GET", &path), None, unsupported)
        .await;
    scene.write("told/kept", "x");
    scene.server.done("DELETE", &format!("{filesets}/f"), None).await;
    assert!(scene.root().join("told/kept").exists());
}
