// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a request says beside its body: path parameters, query, headers.

use http::HeaderMap;
use lakeward_operations::OperationError;
use percent_encoding::percent_decode_str;

/// Path parameters, query and headers of one request, decoded.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    parameters: Vec<(&'static str, String)>,
    query: Vec<(String, String)>,
    /// The headers as they came.
    pub headers: HeaderMap,
    /// The path as it came, for messages.
    pub raw_path: String,
}

impl Parts {
    /// Decodes the parameters that the route table found and the query text.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] when a part is not UTF-8 after decoding or contains U+0000, which PostgreSQL keeps in no
    /// text, or a path segment is empty.
    pub fn new(
        parameters: Vec<(&'static str, &str)>,
        query: Option<&str>,
        headers: HeaderMap,
        raw_path: &str,
    ) -> Result<Self, OperationError> {
        let mut decoded = Vec::with_capacity(parameters.len());
        for (name, raw) in parameters {
            let text = decode(raw).ok_or_else(|| {
                OperationError::invalid(format!("the path segment `{raw}` is not valid UTF-8"))
            })?;
            if text.is_empty() || text.contains('\0') {
                return Err(OperationError::invalid(format!(
                    "the path segment for `{name}` must not be empty or contain U+0000"
                )));
            }
            decoded.push((name, text));
        }
        Ok(Self {
            parameters: decoded,
            query: parse_query(query.unwrap_or_default())?,
            headers,
            raw_path: raw_path.to_owned(),
        })
    }

    /// The path parameter `name`, or `None` when the route has none of that name (the optional prefix).
    pub fn optional_path(&self, name: &str) -> Option<&str> {
        self.parameters
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Adds a parameter that follows from others, for instance the catalog behind a prefix.
    pub fn put(&mut self, name: &'static str, value: String) {
        self.parameters.push((name, value));
    }

    /// The path parameter `name` of this route.
    ///
    /// # Errors
    /// [`OperationError::Internal`] when the route has no such parameter, which a test of all routes would show.
    pub fn path(&self, name: &str) -> Result<&str, OperationError> {
        self.optional_path(name)
            .ok_or_else(|| OperationError::internal(format!("the route has no parameter `{name}`")))
    }

    /// The first value of a query parameter; `None` when absent.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// All query parameters as they came, decoded.
    pub fn queries(&self) -> &[(String, String)] {
        &self.query
    }

    /// A Boolean query parameter: absent is `default`, `true` in any case is true, everything else false (as the
    /// original).
    pub fn flag(&self, name: &str, default: bool) -> bool {
        self.query(name)
            .map_or(default, |text| text.eq_ignore_ascii_case("true"))
    }

    /// A header as text; `None` when absent.
    ///
    /// # Errors
    /// [`OperationError::Invalid`] when the value is not visible ASCII or UTF-8.
    pub fn header(&self, name: &str) -> Result<Option<&str>, OperationError> {
        self.headers
            .get(name)
            .map(|value| {
                std::str::from_utf8(value.as_bytes())
                    .map_err(|_| OperationError::invalid(format!("the header `{name}` is not valid UTF-8")))
            })
            .transpose()
    }
}

fn decode(raw: &str) -> Option<String> {
    percent_decode_str(raw).decode_utf8().ok().map(String::from)
}

fn parse_query(text: &str) -> Result<Vec<(String, String)>, OperationError> {
    let part = |raw: &str| match decode(&raw.replace('+', " ")) {
        None => Err(OperationError::invalid(format!(
            "the query part `{raw}` is not valid UTF-8"
        ))),
        Some(text) if text.contains('\0') => Err(OperationError::invalid(format!(
            "the query part `{raw}` must not contain U+0000"
        ))),
        Some(text) => Ok(text),
    };
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((part(name)?, part(value)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_query_are_decoded() {
        let parts = Parts::new(
            vec![("schema", "A%3AB"), ("table", "a%2Fb%1Fc+d")],
            Some("details=TRUE&value=a+b%26c&flag&=x"),
            HeaderMap::new(),
            "/x",
        )
        .unwrap();
        assert_eq!(parts.path("schema").unwrap(), "A:B");
        assert_eq!(parts.path("table").unwrap(), "a/b\u{1f}c+d");
        assert_eq!(parts.query("value"), Some("a b&c"));
        assert!(parts.flag("details", false));
        assert!(!parts.flag("flag", true));
        assert!(parts.flag("absent", true));
        assert!(parts.path("nothing").is_err());
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for (segment, query) in [
            ("%ff", None),
            ("%00", None),
            ("", None),
            ("a", Some("x=%ff")),
            ("a", Some("x=a%00")),
            ("a", Some("x%00=a")),
        ] {
            assert!(
                Parts::new(vec![("name", segment)], query, HeaderMap::new(), "/x").is_err(),
                "{segment}"
            );
        }
    }
}
