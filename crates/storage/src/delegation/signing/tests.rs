// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is signed and what is not, without a store.

use lakeward_catalog::storage_delegation::FileAccess;

use super::*;

fn signer(properties: &[(&str, &str)]) -> Signer {
    let keys = [("s3-access-key-id", "id"), ("s3-secret-access-key", "secret")];
    let properties = properties
        .iter()
        .chain(&keys)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Signer::new(&S3Settings::from_properties(&properties)).unwrap()
}

fn scope(access: FileAccess) -> DelegationScope {
    DelegationScope {
        principal: "ann".to_owned(),
        locations: vec!["s3://b/w/t".to_owned()],
        access,
        is_table: true,
    }
}

fn request(method: &str, uri: &str, headers: &[(&str, &str)]) -> UnsignedRequest {
    UnsignedRequest {
        method: method.to_owned(),
        uri: uri.to_owned(),
        region: "r".to_owned(),
        headers: headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    }
}

fn check(signer: &Signer, method: &str, uri: &str, access: FileAccess) -> Result<(), CatalogError> {
    signer.check(&scope(access), &request(method, uri, &[])).map(drop)
}

#[test]
fn no_request_with_more_headers_than_any_client_sends_is_signed() {
    let own = signer(&[("s3-endpoint", "http://store:9000/"), ("s3-region", "r")]);
    for (count, is_signed) in [(100, true), (101, false), (40_000, false)] {
        let headers: Vec<String> = (0..count).map(|at| format!("x-amz-meta-{at}")).collect();
        let headers: Vec<_> = headers.iter().map(|name| (name.as_str(), "v")).collect();
        let asked = request("GET", "http://store:9000/b/w/t/f", &headers);
        match own.check(&scope(FileAccess::Read), &asked) {
            Ok(_) => assert!(is_signed, "{count}"),
            Err(error) => assert!(
                !is_signed && matches!(error, CatalogError::Invalid(_)),
                "{count}: {error}"
            ),
        }
    }
}

#[test]
fn nobody_signs_away_what_says_what_a_table_is() {
    let own = signer(&[("s3-endpoint", "http://store:9000/"), ("s3-region", "r")]);
    for file in [
        "metadata/00001-9c12d441.metadata.json",
        "metadata/v2.gz.metadata.json",
        "metadata/v2.metadata.json.gz",
        "metadata/version-hint.text",
        "elsewhere/v2.metadata%2Ejson",
        "x/%76ersion-hint.text",
    ] {
        let uri = format!("http://store:9000/b/w/t/{file}");
        check(&own, "GET", &uri, FileAccess::ReadWrite).unwrap();
        for (method, query) in [
            ("PUT", ""),
            ("DELETE", ""),
            ("POST", "?uploads"),
            ("PUT", "?partNumber=1&uploadId=u"),
            ("POST", "?uploadId=u"),
        ] {
            let refused = check(&own, method, &format!("{uri}{query}"), FileAccess::ReadWrite);
            assert!(
                matches!(refused, Err(CatalogError::LocationRefused(_))),
                "{method} {file}"
            );
        }
    }
    for file in ["metadata/9c12d441-m0.avro", "metadata/1.stats", "data/f.parquet"] {
        let uri = format!("http://store:9000/b/w/t/{file}");
        check(&own, "PUT", &uri, FileAccess::ReadWrite).unwrap();
    }
}

#[test]
fn both_ways_to_name_a_bucket_are_one() {
    let own = signer(&[("s3-endpoint", "http://Store:9000/"), ("s3-region", "r")]);
    for uri in [
        "http://store:9000/b/w/t/f",
        "HTTP://STORE:9000/b/w/t/f",
        "http://b.store:9000/w/t/f",
    ] {
        check(&own, "GET", uri, FileAccess::Read).unwrap();
    }
    for uri in [
        "http://store/b/w/t/f",
        "https://store:9000/b/w/t/f",
        "http://c.store:9000/w/t/f",
        "http://store:9000/c/w/t/f",
        "http://b.store:9000/b/w/t/f",
        "http://store:9000.evil/b/w/t/f",
        "http://b.store:9000@evil/w/t/f",
        "/b/w/t/f",
        "",
    ] {
        assert!(check(&own, "GET", uri, FileAccess::Read).is_err(), "{uri}");
    }
    let amazon = signer(&[("s3-region", "eu-north-1")]);
    for uri in [
        "https://s3.eu-north-1.amazonaws.com/b/w/t/f",
        "https://b.s3.eu-north-1.amazonaws.com:443/w/t/f",
        "https://b.s3.amazonaws.com/w/t/f",
    ] {
        check(&amazon, "GET", uri, FileAccess::Read).unwrap();
    }
    for uri in [
        "http://s3.eu-north-1.amazonaws.com/b/w/t/f",
        "https://s3.us-east-1.amazonaws.com/b/w/t/f",
        "https://b.s3.eu-north-1.amazonaws.com.evil/w/t/f",
        "https://a.b.s3.eu-north-1.amazonaws.com/w/t/f",
    ] {
        assert!(check(&amazon, "GET", uri, FileAccess::Read).is_err(), "{uri}");
    }
}

#[test]
fn only_what_lies_inside_is_signed() {
    let own = signer(&[("s3-endpoint", "http://h")]);
    for inside in ["f", "data/a%20b+c=%C3%A9", "data/", "data/part-0.parquet"] {
        check(&own, "GET", &format!("http://h/b/w/t/{inside}"), FileAccess::Read).unwrap();
    }
    for outside in [
        "w/t",
        "w/t/",
        "w/t2/f",
        "w/T/f",
        "w",
        "",
        "w/t/../t2/f",
        "w/t/%2e%2e/t2/f",
        "w/t/.%2E/f",
        "w/t/%252e%252e/f",
        "w/t%2ff",
        "w%2Ft/f",
        "w/t/..%5cf",
        "w/t//f",
        "/w/t/f",
        "w/t/%00",
        "w/t/%0A",
        "w/t/%FF",
        "w/t/./f",
        "w/t/*",
        "w/t/f?acl",
        "w/t/f#?x",
    ] {
        let uri = format!("http://h/b/{outside}");
        assert!(check(&own, "GET", &uri, FileAccess::ReadWrite).is_err(), "{uri}");
    }
}

#[test]
fn an_action_is_a_method_with_its_parameters() {
    let own = signer(&[("s3-endpoint", "http://h")]);
    let reads = [("GET", ""), ("HEAD", ""), ("GET", "?x-id=GetObject")];
    let writes = [
        ("PUT", ""),
        ("PUT", "?x-id=PutObject"),
        ("PUT", "?uploadId=a%2Bb&partNumber=1"),
        ("POST", "?uploads"),
        ("POST", "?uploads="),
        ("POST", "?uploadId=a"),
        ("DELETE", ""),
        ("DELETE", "?uploadId=a"),
    ];
    let never = [
        ("POST", ""),
        ("POST", "?delete"),
        ("POST", "?restore"),
        ("PUT", "?acl"),
        ("PUT", "?partNumber=1"),
        ("PUT", "?partNumber=1&uploadId=a&uploadId=b"),
        ("GET", "?uploadId=a"),
        ("GET", "?versionId=1"),
        ("DELETE", "?versionId=1"),
        ("DELETE", "?%74agging"),
        ("PATCH", ""),
        ("get", ""),
        ("G ET", ""),
    ];
    let uri = |query: &str| format!("http://h/b/w/t/f{query}");
    for (method, query) in reads {
        check(&own, method, &uri(query), FileAccess::Read).unwrap();
    }
    for (method, query) in writes {
        check(&own, method, &uri(query), FileAccess::ReadWrite).unwrap();
        let refused = check(&own, method, &uri(query), FileAccess::Read);
        assert!(
            matches!(refused, Err(CatalogError::LocationRefused(_))),
            "{method} {query}"
        );
    }
    for (method, query) in never {
        let refused = check(&own, method, &uri(query), FileAccess::ReadWrite);
        assert!(
            matches!(refused, Err(CatalogError::Unsupported(_))),
            "{method} {query}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn headers_are_signed_left_or_refused() {
    let own = signer(&[("s3-endpoint", "http://h"), ("s3-region", "eu-north-1")]);
    let headers = [
        ("Host", "h"),
        ("Range", "bytes=0-9"),
        ("User-Agent", "me"),
        ("Authorization", "mine"),
        ("X-Amz-Date", "20991231T000000Z"),
        ("x-amz-meta-a", "b"),
    ];
    let request = request("GET", "http://h/b/w/t/f", &headers);
    let checked = own.check(&scope(FileAccess::Read), &request).unwrap();
    let credential = Credential {
        access_key_id: "id".to_owned(),
        secret_access_key: "secret".to_owned(),
        session_token: Some("token".to_owned()),
        expires_in: None,
    };
    let added = own.sign(checked, &credential).await.unwrap();
    let value = |name: &str| {
        added
            .iter()
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    };
    let authorization = value("authorization").unwrap();
    assert!(
        authorization.contains("/eu-north-1/s3/aws4_request"),
        "{authorization}"
    );
    let signed =
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date;x-amz-meta-a;x-amz-security-token,";
    assert!(authorization.contains(signed), "{authorization}");
    assert_eq!(value("x-amz-content-sha256"), Some("UNSIGNED-PAYLOAD"));
    assert_eq!(value("x-amz-security-token"), Some("token"));
    assert!(!value("x-amz-date").unwrap().starts_with("2099"));
    assert_eq!(added.len(), 4, "{added:?}");
    assert!(!added.iter().any(|(_, value)| value.contains("secret")));
}

#[tokio::test]
async fn a_hash_of_the_clients_stays_and_a_trailer_has_its_own() {
    let own = signer(&[("s3-endpoint", "http://h")]);
    let credential = Credential {
        access_key_id: "id".to_owned(),
        secret_access_key: "secret".to_owned(),
        ..Credential::default()
    };
    for (headers, expected) in [
        (&[("x-amz-content-sha256", "abc")][..], None),
        (
            &[("x-amz-trailer", "x-amz-checksum-crc32")],
            Some("STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
        ),
        (&[("x-amz-trailer", "t"), ("x-amz-content-sha256", "abc")], None),
    ] {
        let request = request("PUT", "http://h/b/w/t/f", headers);
        let checked = own.check(&scope(FileAccess::ReadWrite), &request).unwrap();
        let added = own.sign(checked, &credential).await.unwrap();
        let hash = added.iter().find(|(name, _)| name == "x-amz-content-sha256");
        assert_eq!(hash.map(|(_, value)| value.as_str()), expected);
    }
}

#[test]
fn headers_that_reach_further_are_refused() {
    let own = signer(&[("s3-endpoint", "http://h")]);
    for name in [
        "x-amz-copy-source",
        "X-Amz-Copy-Source-Range",
        "x-amz-acl",
        "x-amz-grant-full-control",
        "x-amz-tagging",
        "x-amz-website-redirect-location",
        "x-amz-object-lock-mode",
        "x-amz-bypass-governance-retention",
        "x-amz-security-token",
        "x-amz-checksum",
        "x-amz-later",
        "x-goog-copy-source",
    ] {
        let request = request("PUT", "http://h/b/w/t/f", &[(name, "v")]);
        let refused = own.check(&scope(FileAccess::ReadWrite), &request);
        assert!(
            matches!(refused, Err(CatalogError::LocationRefused(_))),
            "{name}: {refused:?}"
        );
    }
    for (name, value) in [("Host", "other"), ("bad name", "v"), ("x-amz-meta-a", "a\nb")] {
        let request = request("PUT", "http://h/b/w/t/f", &[(name, value)]);
        let refused = own.check(&scope(FileAccess::ReadWrite), &request);
        assert!(
            matches!(refused, Err(CatalogError::Invalid(_))),
            "{name}: {refused:?}"
        );
    }
}

#[test]
fn a_signer_needs_keys_and_a_plain_endpoint() {
    let settings = |properties: &[(&str, &str)]| {
        let properties = properties
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Signer::new(&S3Settings::from_properties(&properties))
    };
    assert!(settings(&[]).is_err());
    for endpoint in ["h", "ftp://h", "http://h/path", "http://u@h", "http://h?x", ""] {
        let keys = [
            ("s3-endpoint", endpoint),
            ("s3-access-key-id", "i"),
            ("s3-secret-access-key", "s"),
        ];
        assert!(settings(&keys).is_err(), "{endpoint}");
    }
}
