// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What pages of other origins are let do, as the CORS protocol of the Fetch standard says it to browsers.

use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};

use crate::config::cross_origin::{CrossOriginSettings, OriginPattern};

const TIMING: HeaderName = HeaderName::from_static("timing-allow-origin");

/// The answer to a browser that asks before it sends a request; `None` for what is no such question, and where the answer
/// is no.
pub(super) fn preflight(
    settings: &CrossOriginSettings,
    method: &Method,
    headers: &HeaderMap,
) -> Option<Response<Body>> {
    if *method != Method::OPTIONS {
        return None;
    }
    allowed(&settings.origins, headers.get(header::ORIGIN))?;
    let wanted: Method = text(headers, &header::ACCESS_CONTROL_REQUEST_METHOD)?
        .parse()
        .ok()?;
    let asked = text(headers, &header::ACCESS_CONTROL_REQUEST_HEADERS).unwrap_or_default();
    let is_any_header = settings.headers.iter().any(|name| name == "*");
    let are_headers_allowed = asked
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .all(|name| {
            is_any_header
                || settings
                    .headers
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(name))
        });
    if !settings.methods.contains(&wanted) || !are_headers_allowed {
        return None;
    }
    // Browsers take `*` for a header of that name where they send what they know of the user, and never for `Authorization`.
    let shown_headers = if is_any_header {
        asked.to_owned()
    } else {
        settings.headers.join(", ")
    };
    let methods: Vec<&str> = settings.methods.iter().map(Method::as_str).collect();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let answered = response.headers_mut();
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_METHODS, methods.join(", ")),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, shown_headers),
        (
            header::ACCESS_CONTROL_MAX_AGE,
            settings.max_age.as_secs().to_string(),
        ),
    ] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            answered.insert(name, value);
        }
    }
    answered.append(
        header::VARY,
        HeaderValue::from_static("access-control-request-method, access-control-request-headers"),
    );
    Some(response)
}

/// Says whether the page that asked, of this origin, may read the answer.
pub(super) fn admit(
    settings: &CrossOriginSettings,
    origin: Option<&HeaderValue>,
    response: &mut Response<Body>,
) {
    let is_any = settings.origins.iter().any(OriginPattern::is_any);
    let answered = response.headers_mut();
    if !is_any || !settings.timing_origins.is_empty() {
        answered.append(header::VARY, HeaderValue::from_static("origin"));
    }
    if let Some(origin) = allowed(&settings.origins, origin) {
        let shown = if is_any {
            HeaderValue::from_static("*")
        } else {
            origin
        };
        answered.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, shown);
        if settings.credentials {
            answered.insert(
                header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
                HeaderValue::from_static("true"),
            );
        }
        if let Some(exposed) = &settings.exposed {
            answered.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed.clone());
        }
    }
    if let Some(origin) = allowed(&settings.timing_origins, origin) {
        answered.insert(TIMING, origin);
    }
}

/// The origin of the page that asks, if it is one of these.
fn allowed(origins: &[OriginPattern], origin: Option<&HeaderValue>) -> Option<HeaderValue> {
    let origin = origin?;
    let text = origin.to_str().ok()?;
    origins
        .iter()
        .any(|pattern| pattern.matches(text))
        .then(|| origin.clone())
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
