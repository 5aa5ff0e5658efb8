// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! JSON read strictly: a duplicate member is an error, wherever it stands, and so is U+0000 in a text.
//!
//! serde's derived structs refuse duplicates of members they know, but maps and free values keep the last one
//! silently. Two readers of one text must not understand different things, so the whole text is walked first.
//! PostgreSQL keeps no U+0000 in a text, so no text that anybody sends has one, whatever becomes of it and on any store.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Why a body is not the JSON that was expected; the text says where (`line 1 column 9`).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed json request: {0}")]
pub struct MalformedJson(pub String);

/// Reads `bytes` as one JSON document of type `T`.
///
/// # Errors
/// [`MalformedJson`] when the text is no JSON, has duplicate members, U+0000 or trailing text, or is not a `T`.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, MalformedJson> {
    let refused = |error: serde_json::Error| MalformedJson(error.to_string());
    let mut walk = serde_json::Deserializer::from_slice(bytes);
    Strict.deserialize(&mut walk).map_err(refused)?;
    walk.end().map_err(refused)?;
    // Derived structs also take a list of their members in order; no protocol of ours writes one.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        return Err(MalformedJson("a list is given, an object is expected".to_owned()));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let cause = error.into_inner();
        MalformedJson(if path == "." {
            cause.to_string()
        } else {
            format!("`{path}`: {cause}")
        })
    })
}

/// Walks a value and keeps nothing but the member names of the objects that are open.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        without_nul(text)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Strict)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut seen: HashSet<String> = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            without_nul(&name)?;
            if seen.contains(&name) {
                return Err(A::Error::custom(format!("duplicate field `{name}`")));
            }
            seen.insert(name);
            members.next_value_seed(Strict)?;
        }
        Ok(())
    }
}

fn without_nul<E: Error>(text: &str) -> Result<(), E> {
    if text.contains('\0') {
        return Err(E::custom("a text must not contain U+0000"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let actual = parse::<serde_json::Value>(text.as_bytes());
        match expected {
            Ok(json) => assert_eq!(
                actual.map(|value| value.to_string()),
                Ok(json.to_owned()),
                "{text}"
            ),
            Err(part) => {
                let message = actual.map(|value| value.to_string()).expect_err(text).0;
                assert!(message.contains(part), "{text}: {message}");
            }
        }
    }

    #[test]
    fn one_document_without_duplicates() {
        check(r#"{"a":[1,{"b":null}]}"#, Ok(r#"{"a":[1,{"b":null}]}"#));
        check(r#"{"a":1,"a":1}"#, Err("duplicate field `a` at line 1 column"));
        check(r#"{"x":[{"y":{"a":1,"\u0061":2}}]}"#, Err("duplicate field `a`"));
        check(r#"{"name": "#, Err("line 1 column 9"));
        check("", Err("EOF"));
        check("{} {}", Err("trailing"));
        check("\u{feff}{}", Err("expected value"));
        check(r#""\ud800""#, Err("hex escape"));
        check(&"[".repeat(2000), Err("recursion limit"));
        check("[1]", Err("an object is expected"));
        check(
            r#"{"a":["x",{"b":"\u0000"}]}"#,
            Err("must not contain U+0000 at line 1 column"),
        );
        check(r#"{"x\u0000":1}"#, Err("must not contain U+0000"));
        check(r#"{"a":"\\u0000"}"#, Ok(r#"{"a":"\\u0000"}"#));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert!(parse::<serde_json::Value>(b"{\"a\":\"\xff\"}").is_err());
    }
}
