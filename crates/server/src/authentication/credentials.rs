// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The schemes `Basic` and `Bearer` of the `Authorization` header.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Clients exist that leave the padding out.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Whether the header is of the `Basic` scheme.
pub fn is_basic(credentials: &str) -> bool {
    payload(credentials).is_some()
}

/// User and password of a `Basic` header; `None` when it is not one that can be read. The password is empty when
/// there is no colon.
pub fn basic(credentials: &str) -> Option<(String, String)> {
    let bytes = LENIENT.decode(payload(credentials)?.trim()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (user, password) = text.split_once(':').unwrap_or((&text, ""));
    Some((user.to_owned(), password.to_owned()))
}

/// The token of a `Bearer` header.
pub fn bearer(credentials: &str) -> Option<&str> {
    let (scheme, token) = credentials.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn payload(credentials: &str) -> Option<&str> {
    let (scheme, payload) = credentials.split_once(' ').unwrap_or((credentials, ""));
    scheme.eq_ignore_ascii_case("basic").then_some(payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(header: &str, expected: Option<(&str, &str)>) {
        let expected = expected.map(|(user, password)| (user.to_owned(), password.to_owned()));
        assert_eq!(basic(header), expected, "{header}");
    }

    #[test]
    fn headers() {
        check("Basic YWxpY2U6c2VjcmV0", Some(("alice", "secret")));
        check("basic YWxpY2U6eA", Some(("alice", "x")));
        check("Basic YWxpY2U6YTpi", Some(("alice", "a:b")));
        check("Basic YWxpY2U=", Some(("alice", "")));
        check("Basic", Some(("", "")));
        check("Basic !!!", None);
        check("Basic /w==", None);
        check("Bearer YWxpY2U=", None);
    }
}
