// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! When the token service is asked, and what becomes of its answers: against one of a page, with a clock of the test's.

use std::sync::Mutex as Lock;
use std::sync::atomic::{AtomicI64, Ordering};

use chrono::{DateTime, SecondsFormat};
use lakeward_catalog::storage_delegation::FileAccess;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::s3_settings::S3Settings;

const START: i64 = 1_767_225_600_000;
const HOUR: i64 = 3_600_000;

/// What the service says, and what it was asked.
#[derive(Default)]
struct Service {
    expires_at: AtomicI64,
    /// Said instead of credentials.
    instead: Lock<Option<String>>,
    asked: Lock<Vec<String>>,
}

impl Service {
    fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    async fn serve(&self, mut stream: TcpStream) {
        let mut request = Vec::new();
        loop {
            if stream.read_buf(&mut request).await.unwrap() == 0 {
                return;
            }
            let text = String::from_utf8_lossy(&request).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                continue;
            };
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                break;
            }
        }
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(String::from_utf8_lossy(&request).into_owned());
            asked.len()
        };
        let expires_at = DateTime::from_timestamp_millis(self.expires_at.load(Ordering::SeqCst)).unwrap();
        let expiration = expires_at.to_rfc3339_opts(SecondsFormat::Secs, true);
        let answer = self.instead.lock().unwrap().clone().unwrap_or_else(|| {
            let body = format!(
                "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult><Credentials>\
                 <AccessKeyId>KEY{number}</AccessKeyId><SecretAccessKey>secret{number}</SecretAccessKey>\
                 <SessionToken>token{number}</SessionToken><Expiration>{expiration}</Expiration></Credentials>\
                 <AssumedRoleUser><Arn>a</Arn></AssumedRoleUser></AssumeRoleResult></AssumeRoleResponse>"
            );
            http_answer("200 OK", &body)
        });
        let _ = stream.write_all(answer.as_bytes()).await;
    }
}

fn http_answer(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

async fn scene() -> (Arc<Service>, Sessions) {
    let service = Arc::new(Service::default());
    service.expires_at.store(START + HOUR, Ordering::SeqCst);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = Arc::clone(&service);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let served = Arc::clone(&served);
            tokio::spawn(async move { served.serve(stream).await });
        }
    });
    let properties = [
        ("s3-region", "eu-north-1"),
        ("s3-access-key-id", "catalog-id"),
        ("s3-secret-access-key", "catalog-secret"),
        ("credential-providers", "s3-token"),
        ("s3-role-arn", "arn:aws:iam::1:role/r"),
        ("s3-external-id", "external"),
        ("s3-token-service-endpoint", &format!("http://{address}")),
    ];
    let properties = properties
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let declared = Declared::read(&properties).unwrap();
    let settings = S3Settings::from_properties(&properties);
    let sessions = Sessions::new(TokenService::new(&settings, &declared).unwrap(), &declared);
    (service, sessions)
}

fn scope() -> DelegationScope {
    DelegationScope {
        principal: "ann/é@example.com".to_owned(),
        locations: vec!["s3://b/t".to_owned()],
        access: FileAccess::Read,
        is_table: true,
    }
}

#[tokio::test]
async fn a_credential_is_kept_until_it_is_nearly_over() {
    let (service, sessions) = scene().await;
    let first = sessions.credential(&scope(), START).await.unwrap();
    assert_eq!(first.access_key_id, "KEY1");
    assert_eq!(first.expires_at, START + HOUR);
    // 85 of 100 parts of an hour.
    let refresh = START + 3_060_000;
    assert_eq!(sessions.credential(&scope(), refresh - 1).await.unwrap(), first);
    assert_eq!(service.count(), 1);
    service.expires_at.store(refresh + HOUR, Ordering::SeqCst);
    let second = sessions.credential(&scope(), refresh).await.unwrap();
    assert_eq!((second.access_key_id.as_str(), service.count()), ("KEY2", 2));
    assert_eq!(
        sessions.credential(&scope(), refresh + 3_059_999).await.unwrap(),
        second
    );
    assert_eq!(service.count(), 2);
}

#[tokio::test]
async fn nobody_shares_a_credential_nor_another_scope() {
    let (service, sessions) = scene().await;
    let others = [
        scope(),
        DelegationScope {
            principal: "bob".to_owned(),
            ..scope()
        },
        DelegationScope {
            access: FileAccess::ReadWrite,
            ..scope()
        },
        DelegationScope {
            locations: vec!["s3://b/t2".to_owned()],
            ..scope()
        },
    ];
    let mut keys = std::collections::BTreeSet::new();
    for scope in &others {
        keys.insert(sessions.credential(scope, START).await.unwrap().access_key_id);
        sessions.credential(scope, START).await.unwrap();
    }
    assert_eq!((keys.len(), service.count()), (4, 4));
}

#[tokio::test]
async fn requests_of_one_moment_ask_once() {
    let (service, sessions) = scene().await;
    let sessions = Arc::new(sessions);
    let asking = (0..16).map(|_| {
        let sessions = Arc::clone(&sessions);
        tokio::spawn(async move { sessions.credential(&scope(), START).await.unwrap() })
    });
    let all: Vec<_> = asking.collect();
    for asked in all {
        assert_eq!(asked.await.unwrap().access_key_id, "KEY1");
    }
    assert_eq!(service.count(), 1);
}

#[tokio::test]
async fn the_service_is_asked_for_the_scope_alone() {
    let (service, sessions) = scene().await;
    sessions.credential(&scope(), START).await.unwrap();
    let asked = service.asked.lock().unwrap().concat();
    let (head, body) = asked.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("Credential=catalog-id/"), "{head}");
    assert!(head.contains("/eu-north-1/sts/aws4_request"), "{head}");
    assert!(!asked.contains("catalog-secret"));
    let form: std::collections::BTreeMap<String, String> = url::form_urlencoded::parse(body.as_bytes())
        .into_owned()
        .collect();
    assert_eq!(form["RoleArn"], "arn:aws:iam::1:role/r");
    assert_eq!(form["RoleSessionName"], "lakeward-ann--@example.com");
    assert_eq!(form["ExternalId"], "external");
    assert_eq!(form["DurationSeconds"], "3600");
    assert_eq!(form["Policy"], session_policy(&scope(), "aws").unwrap());
}

#[tokio::test]
async fn a_bad_answer_is_none_and_is_not_kept() {
    let (service, sessions) = scene().await;
    let refusal = "<ErrorResponse><Error><Code>AccessDenied</Code><Message>catalog-secret</Message></Error></ErrorResponse>";
    let whole = |key: &str, expiration: &str| {
        let body = format!(
            "<R><AssumeRoleResult><Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>\
             <SessionToken>t</SessionToken><Expiration>{expiration}</Expiration></Credentials></AssumeRoleResult></R>"
        );
        http_answer("200 OK", &body)
    };
    let huge = "x".repeat(65 * 1024);
    for (answer, told) in [
        (http_answer("403 Forbidden", refusal), "403 AccessDenied"),
        (
            http_answer("500 Oops", "<html>catalog-secret</html>"),
            "500 (without a code)",
        ),
        (http_answer("302 Found", ""), "302"),
        (http_answer("200 OK", "<html/>"), "something else"),
        (http_answer("200 OK", &huge), "more than an answer"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx".to_owned(),
            "broke off",
        ),
        ("nonsense".to_owned(), "cannot be reached"),
        (whole("", "2030-01-01T00:00:00Z"), "something else"),
        (whole("a&#10;b", "2030-01-01T00:00:00Z"), "something else"),
        (whole("KEY", "soon"), "something else"),
        (whole(&"K".repeat(4097), "2030-01-01T00:00:00Z"), "something else"),
        (whole("KEY", "2025-12-31T23:59:59Z"), "is over"),
    ] {
        *service.instead.lock().unwrap() = Some(answer);
        let error = sessions
            .credential(&scope(), START)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(told), "{told}: {error}");
        assert!(
            !error.contains("secret") && !error.contains("127.0.0.1"),
            "{error}"
        );
    }
    *service.instead.lock().unwrap() = None;
    assert!(sessions.credential(&scope(), START).await.is_ok());
    assert!(!format!("{sessions:?}").contains("secret"));
}

#[test]
fn a_role_says_which_part_of_the_clouds_its_buckets_are_in() {
    for (role, partition) in [
        ("arn:aws:iam::123456789012:role/r", "aws"),
        ("arn:aws-cn:iam::123456789012:role/r", "aws-cn"),
        ("arn:aws-us-gov:iam::123456789012:role/r", "aws-us-gov"),
        ("arn:seaweed:iam::role/r", "aws"),
        ("arn:aws*:iam::123456789012:role/r", "aws"),
        ("r", "aws"),
    ] {
        let properties = [
            ("credential-providers", "s3-token"),
            ("s3-access-key-id", "id"),
            ("s3-secret-access-key", "secret"),
            ("s3-region", "r"),
            ("s3-role-arn", role),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
        let declared = Declared::read(&properties).unwrap();
        let service = TokenService::new(&S3Settings::from_properties(&properties), &declared).unwrap();
        assert_eq!(service.partition(), partition, "{role}");
    }
}
