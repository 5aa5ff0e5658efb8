// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Key stores that are replaced while the server runs, and a disk that does not give them.

use std::path::Path;

use crate::support::{SIMPLE, Server};

/// A new certificate with its key in one file, put into its place at once; gives the certificate.
fn put_key_store(file: &Path) -> reqwest::Certificate {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let new = file.with_extension("new");
    std::fs::write(&new, made.cert.pem() + &made.signing_key.serialize_pem()).unwrap();
    std::fs::rename(&new, file).unwrap();
    reqwest::Certificate::from_pem(made.cert.pem().as_bytes()).unwrap()
}

/// The status of a request over a new connection to a server that shows this certificate; `None` where it shows another.
async fn asked(server: &Server, trusted: &reqwest::Certificate) -> Option<u16> {
    let client = reqwest::Client::builder()
        .no_proxy()
        .tls_built_in_root_certs(false)
        .add_root_certificate(trusted.clone())
        .build()
        .unwrap();
    let url = format!("https://{}/api/metalakes", server.running.native_addr);
    let response = client.get(url).send().await.ok()?;
    Some(response.status().as_u16())
}

#[tokio::test]
async fn a_disk_that_hangs_keeps_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("server.pem");
    let mut trusted = put_key_store(&file);
    let mut pairs = SIMPLE.to_vec();
    pairs.extend([
        ("gravitino.server.webserver.enableHttps", "true"),
        ("gravitino.server.webserver.httpsPort", "0"),
        ("gravitino.server.webserver.keyStoreType", "PEM"),
        ("gravitino.server.webserver.keyStorePath", file.to_str().unwrap()),
    ]);
    let server = Server::with(&pairs).await;
    for _ in 0..3 {
        assert_eq!(asked(&server, &trusted).await, Some(200));
        // The next connection has the new one.
        let before = std::mem::replace(&mut trusted, put_key_store(&file));
        assert_eq!(asked(&server, &before).await, None);
        assert_eq!(asked(&server, &trusted).await, Some(200));
    }
    // Whoever reads a pipe waits until somebody writes into it.
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    std::fs::rename(&pipe, &file).unwrap();
    for _ in 0..10 {
        assert_eq!(asked(&server, &trusted).await, Some(200));
    }
    // What hung ends, and what is there by then is taken.
    let written = file.with_extension("written");
    std::fs::hard_link(&file, &written).unwrap();
    let new = put_key_store(&file);
    std::fs::write(&written, "").unwrap();
    while asked(&server, &new).await.is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(asked(&server, &trusted).await, None);
}
