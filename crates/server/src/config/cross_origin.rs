// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which pages of other origins browsers let read answers: the original's keys, per listener.

use std::time::Duration;

use http::{HeaderValue, Method};

use super::ConfigurationError;
use super::properties::Properties;

/// The names of the keys of one listener.
#[derive(Debug, Clone, Copy)]
pub(super) struct CrossOriginKeys {
    enabled: &'static str,
    origins: &'static str,
    timing_origins: &'static str,
    methods: &'static str,
    headers: &'static str,
    exposed: &'static str,
    max_age: &'static str,
    credentials: &'static str,
}

macro_rules! keys_of {
    ($listener:literal) => {
        CrossOriginKeys {
            enabled: concat!($listener, "enableCorsFilter"),
            origins: concat!($listener, "allowedOrigins"),
            timing_origins: concat!($listener, "allowedTimingOrigins"),
            methods: concat!($listener, "allowedMethods"),
            headers: concat!($listener, "allowedHeaders"),
            exposed: concat!($listener, "exposedHeaders"),
            max_age: concat!($listener, "preflightMaxAgeInSecs"),
            credentials: concat!($listener, "allowCredentials"),
        }
    };
}

pub(super) const NATIVE: CrossOriginKeys = keys_of!("gravitino.server.webserver.");
pub(super) const ICEBERG: CrossOriginKeys = keys_of!("gravitino.iceberg-rest.");

/// A pattern of origins: `https://app.example.org`, `https://*.example.org`, or `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginPattern(String);

impl OriginPattern {
    fn read(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self(text.to_owned()));
        }
        let host = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))?;
        let (before, after) = host.split_once('*').unwrap_or(("", host));
        let is_clean = !after.is_empty() && !after.contains(['*', '/', '@', '?', '#', ' ']);
        // `https://*example.org` would let `https://evil-example.org` in.
        let is_narrow = before.is_empty() && (!host.contains('*') || after.starts_with('.'));
        (is_clean && is_narrow).then(|| Self(text.to_ascii_lowercase()))
    }

    /// Whether it is every origin.
    pub fn is_any(&self) -> bool {
        self.0 == "*"
    }

    /// Whether an origin is one of them.
    pub fn matches(&self, origin: &str) -> bool {
        if self.is_any() {
            return true;
        }
        let origin = origin.to_ascii_lowercase();
        match self.0.split_once('*') {
            None => origin == self.0,
            Some((scheme, domain)) => origin
                .strip_prefix(scheme)
                .and_then(|host| host.strip_suffix(domain))
                .is_some_and(|name| !name.is_empty() && !name.contains(['/', '@', ':'])),
        }
    }
}

/// What pages of other origins may do on one listener.
#[derive(Debug, Clone)]
pub struct CrossOriginSettings {
    /// Whose pages may read answers.
    pub origins: Vec<OriginPattern>,
    /// Whose pages may read how long answers took.
    pub timing_origins: Vec<OriginPattern>,
    /// With which methods.
    pub methods: Vec<Method>,
    /// With which headers, in lower case; `*` for all.
    pub headers: Vec<String>,
    /// Which headers of answers they may read.
    pub exposed: Option<HeaderValue>,
    /// How long browsers keep the permission.
    pub max_age: Duration,
    /// Whether browsers may send what they know of the user by themselves. Never for every origin.
    pub credentials: bool,
}

impl CrossOriginSettings {
    /// The settings of one listener; `None` where the filter is off.
    pub(super) fn from_properties(
        properties: &Properties,
        keys: CrossOriginKeys,
    ) -> Result<Option<Self>, ConfigurationError> {
        if !properties.switch(keys.enabled)? {
            return Ok(None);
        }
        let refused = |key: &str, value: &str, expected: &'static str| ConfigurationError::Value {
            key: key.to_owned(),
            value: value.to_owned(),
            expected,
        };
        let origins = |key: &str| {
            let expected = "origins such as `https://app.example.org` or `https://*.example.org`, or `*`";
            properties
                .list(key)
                .iter()
                .map(|text| OriginPattern::read(text).ok_or_else(|| refused(key, text, expected)))
                .collect::<Result<Vec<_>, _>>()
        };
        let methods = properties
            .list(keys.methods)
            .iter()
            .map(|text| {
                text.to_ascii_uppercase()
                    .parse::<Method>()
                    .map_err(|_| refused(keys.methods, text, "names of methods"))
            })
            .collect::<Result<_, _>>()?;
        let exposed = properties.list(keys.exposed).join(", ");
        let allowed = origins(keys.origins)?;
        Ok(Some(Self {
            credentials: properties.switch(keys.credentials)? && !allowed.iter().any(OriginPattern::is_any),
            origins: allowed,
            timing_origins: origins(keys.timing_origins)?,
            methods,
            headers: properties
                .list(keys.headers)
                .iter()
                .map(|name| name.to_ascii_lowercase())
                .collect(),
            exposed: (!exposed.is_empty())
                .then(|| HeaderValue::from_str(&exposed))
                .transpose()
                .map_err(|_| refused(keys.exposed, &exposed, "names of headers"))?,
            max_age: Duration::from_secs(properties.parsed(keys.max_age, "a number of seconds")?),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::OriginPattern;

    fn check(pattern: &str, origin: &str, expected: bool) {
        let pattern = OriginPattern::read(pattern).unwrap();
        assert_eq!(pattern.matches(origin), expected, "{origin}");
    }

    #[test]
    fn origins() {
        check("*", "https://x", true);
        check("https://app.example.org", "https://APP.example.org", true);
        check("https://app.example.org", "http://app.example.org", false);
        check("https://app.example.org", "https://app.example.org:8443", false);
        check(
            "https://app.example.org",
            "https://app.example.org.evil.org",
            false,
        );
        check("https://*.example.org", "https://a.b.example.org", true);
        check("https://*.example.org", "https://example.org", false);
        check("https://*.example.org", "https://.example.org", false);
        check("https://*.example.org", "https://evil.org/.example.org", false);
        check("https://*.example.org", "https://evil-example.org", false);
        check("https://*.example.org", "null", false);
        for text in [
            "",
            "null",
            "example.org",
            "https://",
            "https://*",
            "https://a*.org",
            "https://*x.org",
            "https://x/",
        ] {
            assert_eq!(OriginPattern::read(text), None, "{text}");
        }
    }
}
