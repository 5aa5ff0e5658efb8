// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Every failure as the status that a client can act on, with nothing hidden in its text.

use arrow::error::ArrowError;
use lakeward_read_restrictions::error::ReaderError as RestrictionError;
use lakeward_reader::masks::MaskError;

use super::*;

fn answer(status: u16) -> Box<ServerAnswer> {
    Box::new(ServerAnswer {
        status,
        kind: "SomeException".to_owned(),
        message: "what the server says".to_owned(),
        request_id: Some("request-1".to_owned()),
    })
}

const SECRET: &str = "s3://hidden/EMEA";

#[test]
fn what_concerns_the_operator_stays_with_the_operator() {
    let table = || "c.s.t".to_owned();
    for error in [
        ReaderError::Configuration(SECRET.to_owned()),
        ReaderError::Unreachable {
            server: SECRET.to_owned(),
            cause: SECRET.to_owned(),
        },
        ReaderError::Answer {
            table: table(),
            problem: SECRET.to_owned(),
        },
        ReaderError::Restrictions {
            table: table(),
            cause: Box::new(RestrictionError::NotJson {
                problem: SECRET.to_owned(),
            }),
        },
        ReaderError::Storage {
            table: table(),
            cause: Box::new(iceberg::Error::new(iceberg::ErrorKind::Unexpected, SECRET)),
        },
        ReaderError::NoRandomness(SECRET.to_owned()),
        ReaderError::Mask(MaskError::Arrow(ArrowError::CastError(SECRET.to_owned()))),
    ] {
        let status = of(&error);
        assert!(!status.message().contains("hidden"), "{status}");
        assert!(status.message().contains("operator"), "{status}");
    }
}

#[test]
fn codes_are_those_that_clients_act_on() {
    let table = || "c.s.t".to_owned();
    for (error, code) in [
        (ReaderError::Unauthenticated(answer(401)), Code::Unauthenticated),
        (
            ReaderError::Refused {
                table: table(),
                answer: answer(403),
            },
            Code::PermissionDenied,
        ),
        (
            ReaderError::Refused {
                table: table(),
                answer: answer(404),
            },
            Code::NotFound,
        ),
        (
            ReaderError::NotTrusted {
                table: table(),
                answer: answer(403),
            },
            Code::PermissionDenied,
        ),
        (
            ReaderError::NotAcceptable {
                table: table(),
                answer: answer(406),
            },
            Code::PermissionDenied,
        ),
        (
            ReaderError::Unresolved {
                table: table(),
                code: "restriction-conflict".to_owned(),
                answer: answer(403),
            },
            Code::PermissionDenied,
        ),
        (
            ReaderError::Unresolved {
                table: table(),
                code: "restriction-context".to_owned(),
                answer: answer(503),
            },
            Code::Unavailable,
        ),
        (
            ReaderError::Server {
                table: table(),
                answer: answer(429),
            },
            Code::Unavailable,
        ),
        (
            ReaderError::Server {
                table: table(),
                answer: answer(500),
            },
            Code::Internal,
        ),
    ] {
        let status = of(&error);
        assert_eq!(status.code(), code, "{error}");
        // By the request the operator of the server finds the reason.
        assert!(status.message().contains("request-1"), "{status}");
    }
    assert_eq!(
        of(&ReaderError::Statement("no".to_owned())).code(),
        Code::InvalidArgument
    );
    assert_eq!(
        of(&ReaderError::TimedOut(std::time::Duration::ZERO)).code(),
        Code::DeadlineExceeded
    );
}

#[test]
fn a_message_fits_a_header() {
    let status = of(&ReaderError::Query("ü".repeat(LONGEST)));
    assert!(status.message().len() <= LONGEST + 3);
    assert!(status.message().ends_with("ü…"));
}
