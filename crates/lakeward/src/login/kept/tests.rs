// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Logins are kept for their servers alone, and readable for their owner alone.

use super::*;

fn login(server: &str, token: &str, expires: Option<u64>) -> KeptLogin {
    KeptLogin {
        server: server.to_owned(),
        user: "ann".to_owned(),
        issuer: "https://127.0.0.1:1".to_owned(),
        client_id: "cli".to_owned(),
        access_token: token.to_owned(),
        refresh_token: None,
        expires,
    }
}

fn keeping() -> (tempfile::TempDir, Keeping) {
    let folder = tempfile::tempdir().unwrap();
    let keeping = Keeping {
        folder: folder.path().to_owned(),
    };
    (folder, keeping)
}

#[tokio::test]
async fn a_token_goes_to_its_server_and_its_host_only() {
    let (_folder, keeping) = keeping();
    keeping.keep(login("https://a.example/", "a", None)).unwrap();
    keeping
        .keep(login("https://a.example:8090/", "old", None))
        .unwrap();
    keeping
        .keep(login("https://a.example:8090", "a8090", None))
        .unwrap();
    keeping
        .keep(login("http://127.0.0.1:8090/", "here", None))
        .unwrap();
    for (address, token) in [
        ("https://a.example/", Some("a")),
        ("https://a.example:443/other", Some("a")),
        ("https://a.example:8090", Some("a8090")),
        ("grpc+tls://a.example:8815", Some("a")),
        ("grpc://127.0.0.1:8815", Some("here")),
        ("https://127.0.0.1:8091", Some("here")),
        // In the open.
        ("http://a.example/", None),
        ("grpc://a.example:8815", None),
        ("https://b.example/", None),
        ("https://sub.a.example/", None),
    ] {
        let found = keeping.token(&Url::parse(address).unwrap()).await.unwrap();
        assert_eq!(found.as_deref(), token, "{address}");
    }
    let server = Url::parse("https://a.example").unwrap();
    assert_eq!(keeping.forget(Some(&server)).unwrap().len(), 1);
    assert_eq!(keeping.token(&server).await.unwrap().as_deref(), Some("a8090"));
    assert_eq!(keeping.forget(None).unwrap().len(), 2);
    assert!(!keeping.folder.join(FILE).exists());
}

#[tokio::test]
async fn a_login_that_is_over_says_how_to_begin_another() {
    let (_folder, keeping) = keeping();
    keeping
        .keep(login("https://a.example/", "a", Some(now() + 5)))
        .unwrap();
    let server = Url::parse("https://a.example/").unwrap();
    let told = keeping.token(&server).await.unwrap_err().to_string();
    assert!(
        told.contains("lakeward login --server https://a.example/"),
        "{told}"
    );
    keeping
        .keep(login("https://a.example/", "b", Some(now() + 600)))
        .unwrap();
    assert_eq!(keeping.token(&server).await.unwrap().as_deref(), Some("b"));
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, keeping) = keeping();
    keeping.keep(login("https://a.example/", "a", None)).unwrap();
    let file = keeping.folder.join(FILE);
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let told = keeping.token(&Url::parse("https://a.example/").unwrap()).await;
    assert!(told.unwrap_err().to_string().contains("others may read"));
}
