// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects and folders of S3 and of Google Cloud Storage, whose protocols are one as far as they are needed, against a store of a
//! page that speaks so much of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// Keys of a bucket, listed two a page.
type Keys = Arc<Mutex<BTreeSet<String>>>;

async fn store(keys: &[&str]) -> (ObjectStorage, Keys) {
    let keys: Keys = Arc::new(Mutex::new(keys.iter().map(|key| (*key).to_owned()).collect()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = Arc::clone(&keys);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, Arc::clone(&served)));
        }
    });
    let properties = [
        ("s3-endpoint", format!("http://{address}")),
        ("s3-path-style-access", "true".to_owned()),
        ("s3-access-key-id", "id".to_owned()),
        ("s3-secret-access-key", "secret".to_owned()),
        ("gcs.service.host", format!("http://{address}")),
        ("gcs.no-auth", "true".to_owned()),
    ];
    let properties = properties
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    (
        ObjectStorage::new(StorageSettings::from_properties(&properties)),
        keys,
    )
}

async fn serve(mut stream: TcpStream, keys: Keys) {
    let mut request = Vec::new();
    let head = loop {
        if stream.read_buf(&mut request).await.unwrap() == 0 {
            return;
        }
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            break head.to_owned();
        }
    };
    let length: usize = head
        .lines()
        .find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length: ")?
                .parse()
                .ok()
        })
        .unwrap_or_default();
    while request.len() < head.len() + 4 + length {
        assert!(stream.read_buf(&mut request).await.unwrap() > 0);
    }
    let body = String::from_utf8_lossy(request.get(head.len() + 4..).unwrap()).into_owned();
    let target = head.split(' ').nth(1).unwrap().to_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    if !query.contains("list-type") && !query.contains("delete") {
        let key = percent_encoding::percent_decode_str(path.trim_start_matches("/b/"));
        let answer = object(&head, &key.decode_utf8().unwrap(), &mut keys.lock().unwrap());
        stream.write_all(answer.as_bytes()).await.unwrap();
        return;
    }
    let answer = if head.starts_with("POST") && target.contains("delete") {
        let mut answer = String::from("<DeleteResult>");
        for key in body.split("<Key>").skip(1) {
            let (key, _) = key.split_once("</Key>").unwrap();
            keys.lock().unwrap().remove(key);
            answer += &format!("<Deleted><Key>{key}</Key></Deleted>");
        }
        answer + "</DeleteResult>"
    } else {
        listed(&target.replace("%2F", "/"), &keys.lock().unwrap())
    };
    let length = answer.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all((head + &answer).as_bytes()).await.unwrap();
}

/// The answer to a request for one object, which is made unless it is there.
fn object(head: &str, key: &str, keys: &mut BTreeSet<String>) -> String {
    let told = "ETag: \"x\"\r\nx-goog-generation: 1\r\nLast-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\nConnection: close";
    let asked = head.to_ascii_lowercase();
    let is_conditional =
        asked.contains("\r\nx-goog-if-generation-match: 0") || asked.contains("\r\nif-none-match: *");
    let status = match head.split(' ').next().unwrap() {
        "PUT" if is_conditional && !keys.insert(key.to_owned()) => "412 Precondition Failed",
        "PUT" if !is_conditional => "400 Bad Request",
        "DELETE" if !keys.remove(key) => "404 Not Found",
        "GET" if keys.contains(key) => {
            return format!("HTTP/1.1 200 OK\r\n{told}\r\nContent-Length: 5\r\n\r\nwords");
        }
        "GET" => "404 Not Found",
        _ => "200 OK",
    };
    format!("HTTP/1.1 {status}\r\n{told}\r\nContent-Length: 0\r\n\r\n")
}

fn listed(target: &str, keys: &BTreeSet<String>) -> String {
    let parameter = |name: &str| {
        let (_, query) = target.split_once('?').unwrap();
        let found = query
            .split('&')
            .find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        found.unwrap_or_default().to_owned()
    };
    let (prefix, after) = (parameter("prefix"), parameter("continuation-token"));
    let has_delimiter = parameter("delimiter") == "/";
    let mut shown = BTreeSet::new();
    for key in keys.iter().filter(|key| key.starts_with(&prefix)) {
        let rest = key.strip_prefix(&prefix).unwrap();
        match rest.split_once('/').filter(|_| has_delimiter) {
            Some((folder, _)) => shown.insert(format!("{prefix}{folder}/")),
            None => shown.insert(key.clone()),
        };
    }
    let page: Vec<&String> = shown.iter().filter(|key| **key > after).take(3).collect();
    let mut answer = String::from("<ListBucketResult>");
    if let [_, second, _] = page.as_slice() {
        answer += &format!(
            "<IsTruncated>true</IsTruncated><NextContinuationToken>{second}</NextContinuationToken>"
        );
    }
    for key in page.into_iter().take(2) {
        answer += &if has_delimiter && key.ends_with('/') && *key != prefix {
            format!("<CommonPrefixes><Prefix>{key}</Prefix></CommonPrefixes>")
        } else {
            format!(
                "<Contents><Key>{key}</Key><Size>5</Size><LastModified>2023-11-14T22:13:20.000Z</LastModified>\
                 <ETag>\"x\"</ETag></Contents>"
            )
        };
    }
    answer + "</ListBucketResult>"
}

fn at(text: &str) -> Location {
    Location::parse(text).unwrap()
}

/// A bucket of each kind.
const BUCKETS: [&str; 2] = ["s3a://b", "gs://b"];

#[tokio::test]
async fn an_object_is_created_once_and_read_back() {
    for bucket in BUCKETS {
        let (store, keys) = store(&["t/there"]).await;
        let new = at(&format!("{bucket}/t/new-1.json"));
        store.create(&new, Bytes::from_static(b"words")).await.unwrap();
        assert!(keys.lock().unwrap().contains("t/new-1.json"), "{bucket}");
        for taken in [&new, &at(&format!("{bucket}/t/there"))] {
            let again = store.create(taken, Bytes::from_static(b"others")).await;
            assert_eq!(again, Err(CatalogError::FileExists(taken.to_string())));
        }
        assert_eq!(store.read(&new, 5).await.unwrap(), "words");
        assert!(matches!(
            store.read(&new, 4).await,
            Err(CatalogError::MetadataInvalid { .. })
        ));
        store.delete(&new).await.unwrap();
        store.delete(&new).await.unwrap();
        assert_eq!(
            store.read(&new, 5).await,
            Err(CatalogError::MetadataMissing(new.to_string()))
        );
        store.test(&at(bucket)).await.unwrap();
    }
}

#[tokio::test]
async fn folders_are_listed_page_by_page() {
    for bucket in BUCKETS {
        let (store, _) = store(&["f/", "f/a", "f/b", "f/dir/x", "f/dir/y", "f/z", "f2/other"]).await;
        let entries = store
            .list(&at(&format!("{bucket}/f")), 10)
            .await
            .unwrap()
            .unwrap();
        let told: Vec<_> = entries
            .iter()
            .map(|entry| {
                (
                    entry.name.as_str(),
                    entry.is_folder,
                    entry.size,
                    entry.last_modified,
                )
            })
            .collect();
        let modified = 1_700_000_000_000;
        assert_eq!(
            told,
            [
                ("a", false, 5, modified),
                ("b", false, 5, modified),
                ("dir", true, 0, 0),
                ("z", false, 5, modified)
            ]
        );
        assert!(matches!(
            store.list(&at(&format!("{bucket}/f")), 3).await,
            Err(CatalogError::Invalid(_))
        ));
        assert_eq!(store.list(&at(&format!("{bucket}/nothing")), 10).await, Ok(None));
        let root = store.list(&at(bucket), 10).await.unwrap().unwrap();
        let names: Vec<_> = root.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["f", "f2"]);
    }
}

#[tokio::test]
async fn a_folder_is_removed_and_not_its_neighbour() {
    for bucket in BUCKETS {
        let (store, keys) = store(&["f/a", "f/dir/x", "f/dir/y", "f2/other", "g"]).await;
        store.remove(&at(&format!("{bucket}/f"))).await.unwrap();
        let left: Vec<String> = keys.lock().unwrap().iter().cloned().collect();
        assert_eq!(left, ["f2/other", "g"]);
        store.remove(&at(&format!("{bucket}/f"))).await.unwrap();
    }
}

#[tokio::test]
async fn keys_with_empty_segments_stand_in_nobodys_way() {
    for bucket in BUCKETS {
        let odd = [
            "f/",
            "f//",
            "f//a",
            "f/a",
            "f/dir/",
            "f/dir//x",
            "f/dir/x//y/z",
            "f2//other",
            "g",
        ];
        let (store, keys) = store(&odd).await;
        let entries = store
            .list(&at(&format!("{bucket}/f")), 10)
            .await
            .unwrap()
            .unwrap();
        let names: Vec<_> = entries
            .iter()
            .map(|entry| (entry.name.as_str(), entry.is_folder))
            .collect();
        assert_eq!(names, [("a", false), ("dir", true)]);
        assert_eq!(store.list(&at(&format!("{bucket}/nothing")), 10).await, Ok(None));
        store.remove(&at(&format!("{bucket}/f"))).await.unwrap();
        let left: Vec<String> = keys.lock().unwrap().iter().cloned().collect();
        assert_eq!(left, ["f2//other", "g"]);
    }
}
