// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which headers are keys, and which requests are one.

use http::{HeaderMap, HeaderValue, Method};

use super::{IDEMPOTENCY_KEY_HEADER, fingerprint, key};
use crate::http::parts::Parts;

fn headers(values: &[&[u8]]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(IDEMPOTENCY_KEY_HEADER, HeaderValue::from_bytes(value).unwrap());
    }
    headers
}

#[test]
fn a_key_is_one_uuid_of_version_7() {
    let good = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F";
    assert_eq!(key(&headers(&[])).unwrap(), None);
    assert_eq!(
        key(&headers(&[good.as_bytes()])).unwrap(),
        Some(good.to_ascii_lowercase())
    );
    for bad in [
        &[b"" as &[u8]] as &[&[u8]],
        &[b"abc"],
        &[b"017F22E279B07CC398C4DC0C0C07398F"],
        &[b"{017F22E2-79B0-7CC3-98C4-DC0C0C07398F}"],
        &[b"7f0c35b6-6b5c-4d5f-8d0d-3a1a6f4a3a2e"],
        &[b"00000000-0000-0000-0000-000000000000"],
        &[b"017F22E2-79B0-7CC3-98C4-DC0C0C07398\xff"],
        &[good.as_bytes(), good.as_bytes()],
    ] {
        assert!(key(&headers(bad)).is_err(), "{bad:?}");
    }
}

#[test]
fn every_part_of_a_request_counts() {
    let of = |method: Method, path: &str, query: &str, body: &[u8]| {
        let parts = Parts::new(Vec::new(), Some(query), HeaderMap::new(), path).unwrap();
        fingerprint(&method, &parts, body)
    };
    let one = of(Method::POST, "/a", "x=1", b"{}");
    assert_eq!(one, of(Method::POST, "/a", "x=1", b"{}"));
    for other in [
        of(Method::PUT, "/a", "x=1", b"{}"),
        of(Method::POST, "/b", "x=1", b"{}"),
        of(Method::POST, "/a", "x=2", b"{}"),
        of(Method::POST, "/a", "", b"{}"),
        of(Method::POST, "/a", "x=1", b"{ }"),
        of(Method::POST, "/a{", "x=1", b"}"),
    ] {
        assert_ne!(one, other);
    }
}
