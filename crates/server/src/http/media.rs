// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Media types: the version in `Accept`, and what may be sent as body.

use http::{HeaderMap, header};

use super::fault::Fault;

const VENDOR: &str = "application/vnd.gravitino.v";

/// The versions of the native protocol that one endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Versions {
    /// Version 1, as all endpoints but one.
    One,
    /// Versions 1 and 2 (assigning tags with values).
    OneAndTwo,
}

/// Which version an `Accept` header asks for: that of the first vendor type in it, else that of the body, else 1.
///
/// # Errors
/// [`Fault::NotAcceptable`] when it is none that the endpoint speaks.
pub fn negotiate(headers: &HeaderMap, versions: Versions) -> Result<u32, Fault> {
    let accepted = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .find_map(vendor_version);
    let version = accepted.or_else(|| content_version(headers)).unwrap_or(1);
    if versions == Versions::OneAndTwo && headers.contains_key(header::CONTENT_TYPE) {
        body_of_its_version(headers, accepted)?;
    }
    match (version, versions) {
        (1, _) | (2, Versions::OneAndTwo) => Ok(version),
        _ => Err(Fault::NotAcceptable(format!(
            "version {version} of the protocol is not served here; ask for `application/vnd.gravitino.v1+json`"
        ))),
    }
}

/// Where two versions are spoken, a body says by its type which it is, `application/json` being version 1; and an answer
/// in the other version cannot be had.
fn body_of_its_version(headers: &HeaderMap, accepted: Option<u32>) -> Result<(), Fault> {
    let content = content_version(headers);
    if content == Some(1) {
        return Err(Fault::UnsupportedMediaType(
            "a body of version 1 is `application/json` here".to_owned(),
        ));
    }
    let sent = content.unwrap_or(1);
    match accepted {
        Some(version) if version != sent => Err(Fault::NotAcceptable(format!(
            "the body is of version {sent}, so the answer is too; ask for `{VENDOR}{sent}+json`"
        ))),
        Some(_) | None => Ok(()),
    }
}

/// The vendor version in `Content-Type`, if there is one.
pub fn content_version(headers: &HeaderMap) -> Option<u32> {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(vendor_version)
}

/// The number in `application/vnd.gravitino.v<digits>+json`; a number too large to hold is one we do not serve.
fn vendor_version(media_type: &str) -> Option<u32> {
    let name = media_type.split(';').next()?.trim().to_ascii_lowercase();
    let digits = name.strip_prefix(VENDOR)?.strip_suffix("+json")?;
    let numeric = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    numeric.then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Checks that a body is declared as JSON. A body without `Content-Type` is taken as JSON.
///
/// # Errors
/// [`Fault::UnsupportedMediaType`].
pub fn check_json_body(headers: &HeaderMap) -> Result<(), Fault> {
    check(headers, |name| vendor_version(name).is_some())
}

/// The same where another media type is JSON too.
///
/// # Errors
/// [`Fault::UnsupportedMediaType`].
pub fn check_body_of(headers: &HeaderMap, media_type: &str) -> Result<(), Fault> {
    check(headers, |name| name == media_type)
}

fn check(headers: &HeaderMap, is_json: impl Fn(&str) -> bool) -> Result<(), Fault> {
    if let Some(encoding) = headers.get(header::CONTENT_ENCODING)
        && !encoding.as_bytes().eq_ignore_ascii_case(b"identity")
    {
        return Err(Fault::UnsupportedMediaType(
            "a body with a content encoding is not read; send it plain".to_owned(),
        ));
    }
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let text = String::from_utf8_lossy(value.as_bytes());
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let is_json = name == "application/json" || is_json(&name);
    let is_utf8 = parts
        .filter_map(|part| part.split_once('='))
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .all(|(_, charset)| charset.trim().trim_matches('"').eq_ignore_ascii_case("utf-8"));
    if is_json && is_utf8 {
        Ok(())
    } else {
        Err(Fault::UnsupportedMediaType(format!(
            "`{text}` is not read here; send `application/json` in UTF-8"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(name.clone(), value.parse().unwrap());
        }
        map
    }

    fn check_accept(accept: &str, versions: Versions, expected: Option<u32>) {
        let map = headers(&[(header::ACCEPT, accept)]);
        assert_eq!(negotiate(&map, versions).ok(), expected, "{accept}");
    }

    #[test]
    fn versions() {
        check_accept("*/*", Versions::One, Some(1));
        check_accept(
            "text/html, application/vnd.gravitino.v1+json;q=0.5",
            Versions::One,
            Some(1),
        );
        check_accept("application/vnd.gravitino.v2+json", Versions::One, None);
        check_accept("application/vnd.gravitino.v2+json", Versions::OneAndTwo, Some(2));
        check_accept("application/vnd.gravitino.v3+json", Versions::OneAndTwo, None);
        check_accept(
            "application/vnd.gravitino.v99999999999+json",
            Versions::OneAndTwo,
            None,
        );
        check_accept("application/vnd.gravitino.vx+json", Versions::One, Some(1));
        let body = headers(&[(header::CONTENT_TYPE, "application/vnd.gravitino.v2+json")]);
        assert_eq!(negotiate(&body, Versions::OneAndTwo).ok(), Some(2));
    }

    #[test]
    fn bodies_of_one_version_have_answers_of_it() {
        let v1 = "application/vnd.gravitino.v1+json";
        let v2 = "application/vnd.gravitino.v2+json";
        for (accept, content, expected) in [
            (v1, "application/json", Some(1)),
            (v2, v2, Some(2)),
            ("application/json", v2, Some(2)),
            (v1, v2, None),
            (v2, "application/json", None),
            (v1, v1, None),
        ] {
            let map = headers(&[(header::ACCEPT, accept), (header::CONTENT_TYPE, content)]);
            assert_eq!(
                negotiate(&map, Versions::OneAndTwo).ok(),
                expected,
                "{accept}, {content}"
            );
        }
    }

    fn check_body(content_type: &str, accepted: bool) {
        let map = headers(&[(header::CONTENT_TYPE, content_type)]);
        assert_eq!(check_json_body(&map).is_ok(), accepted, "{content_type}");
    }

    #[test]
    fn bodies() {
        check_body("application/json", true);
        check_body("Application/JSON; charset=\"UTF-8\"", true);
        check_body("application/vnd.gravitino.v2+json", true);
        check_body("application/json; charset=latin1", false);
        check_body("text/plain", false);
        check_body("application/x-www-form-urlencoded", false);
        assert!(check_json_body(&HeaderMap::new()).is_ok());
        assert!(check_json_body(&headers(&[(header::CONTENT_ENCODING, "gzip")])).is_err());
    }
}
