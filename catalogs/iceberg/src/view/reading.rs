// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What view metadata must be to be stored and served.

use std::collections::BTreeSet;

use lakeward_catalog::view_catalog::{ViewFacts, ViewMetadata};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::document::{Document, Flaw};
use crate::facts::{anywhere, reachable};
use crate::schema::{Schema, int32};

/// The format version that views have.
pub(super) const FORMAT_VERSION: i64 = 1;
/// The end of the year 9999; no clock shows more, and readers take differences.
const LATEST_MS: i64 = 253_402_300_799_999;

/// Reads a metadata text of a view that lies where this server reaches.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(text: &str) -> Result<ViewMetadata, Flaw> {
    read_at(text, reachable)
}

/// Reads a metadata text of a view whose files this server never opens: its location may be in any storage.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read_elsewhere(text: &str) -> Result<ViewMetadata, Flaw> {
    read_at(text, anywhere)
}

fn read_at(text: &str, place: fn(&str) -> Result<String, Flaw>) -> Result<ViewMetadata, Flaw> {
    let facts = check_at(&document(text)?, place)?;
    let json = serde_json::from_str::<Box<RawValue>>(text).map_err(|error| error.to_string())?;
    Ok(ViewMetadata {
        json,
        digest: crate::facts::digest(text),
        facts,
    })
}

/// The document of a text.
///
/// # Errors
/// When it is no JSON object.
pub(crate) fn document(text: &str) -> Result<Document, Flaw> {
    let members: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| format!("it is no JSON object: {error}"))?;
    Ok(Document::of(members))
}

/// Checks a whole document.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn check(document: &Document) -> Result<ViewFacts, Flaw> {
    check_at(document, reachable)
}

fn check_at(document: &Document, place: fn(&str) -> Result<String, Flaw>) -> Result<ViewFacts, Flaw> {
    let version = document.int("format-version")?;
    if version != FORMAT_VERSION {
        return Err(format!(
            "format version {version} of views is not supported; 1 is"
        ));
    }
    let uuid = document.text("view-uuid")?;
    let uuid = Uuid::parse_str(uuid).map_err(|_| format!("`{uuid}` is no view UUID"))?;
    let location = place(document.text("location")?)?;
    let mut schemas = BTreeSet::new();
    for schema in document.list("schemas") {
        let id = Schema::parse(schema)?.id;
        if !schemas.insert(id) {
            return Err(format!("there are two schemas with the id {id}"));
        }
    }
    let mut versions = BTreeSet::new();
    for version in document.list("versions") {
        let id = check_version(version)?;
        if !versions.insert(id) {
            return Err(format!("there are two versions with the id {id}"));
        }
    }
    let current = document.id("current-version-id")?;
    let current = document
        .element("versions", "version-id", i64::from(current))
        .ok_or_else(|| format!("the current version {current} is not among `versions`"))?;
    let schema = id_of(current, "schema-id")?;
    if !schemas.contains(&schema) {
        return Err(format!(
            "the schema {schema} of the current version is not among `schemas`"
        ));
    }
    for entry in document.list("version-log") {
        id_of(entry, "version-id")?;
        time_of(entry)?;
    }
    texts(document.get("properties"), "properties")?;
    Ok(ViewFacts {
        uuid: uuid.hyphenated().to_string(),
        location,
    })
}

/// Checks one version and answers its id.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_version(version: &Value) -> Result<i32, Flaw> {
    let id = id_of(version, "version-id")?;
    let of = |flaw: String| format!("version {id}: {flaw}");
    time_of(version).map_err(of)?;
    id_of(version, "schema-id").map_err(of)?;
    texts(version.get("summary"), "summary").map_err(of)?;
    let is_namespace = version
        .get("default-namespace")
        .and_then(Value::as_array)
        .is_some_and(|levels| levels.iter().all(Value::is_string));
    if !is_namespace {
        return Err(of("`default-namespace` is missing or no list of texts".to_owned()));
    }
    if version
        .get("default-catalog")
        .is_some_and(|name| !name.is_null() && !name.is_string())
    {
        return Err(of("`default-catalog` is no text".to_owned()));
    }
    let representations = version
        .get("representations")
        .and_then(Value::as_array)
        .filter(|list| !list.is_empty())
        .ok_or_else(|| of("`representations` is missing, empty or no list".to_owned()))?;
    let mut seen = BTreeSet::new();
    for representation in representations {
        let text = |member: &str| representation.get(member).and_then(Value::as_str);
        let kind = text("type").ok_or_else(|| of("a representation has no `type`".to_owned()))?;
        if !kind.eq_ignore_ascii_case("sql") {
            continue;
        }
        if text("sql").is_none() {
            return Err(of("a representation of type `sql` has no `sql`".to_owned()));
        }
        let dialect = text("dialect")
            .filter(|dialect| !dialect.is_empty())
            .ok_or_else(|| of("a representation of type `sql` has no `dialect`".to_owned()))?
            .to_lowercase();
        if seen.contains(&dialect) {
            // The words of Iceberg's own catalogs, which clients compare.
            return Err(format!(
                "Invalid view version: Cannot add multiple queries for dialect {dialect}"
            ));
        }
        seen.insert(dialect);
    }
    Ok(id)
}

/// The dialects of a version, in lower case.
pub(super) fn dialects(version: &Value) -> BTreeSet<String> {
    version
        .get("representations")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|one| one.get("dialect")?.as_str())
        .map(str::to_lowercase)
        .collect()
}

/// A 32-bit id that an element must have.
pub(super) fn id_of(element: &Value, member: &str) -> Result<i32, Flaw> {
    element
        .get(member)
        .and_then(int32)
        .ok_or_else(|| format!("`{member}` is missing or no whole number of 32 bits"))
}

fn time_of(element: &Value) -> Result<i64, Flaw> {
    element
        .get("timestamp-ms")
        .and_then(Value::as_i64)
        .filter(|time| (0..=LATEST_MS).contains(time))
        .ok_or_else(|| "`timestamp-ms` is missing or not between the years 1970 and 9999".to_owned())
}

fn texts(value: Option<&Value>, member: &str) -> Result<(), Flaw> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return Ok(());
    };
    let all_texts = value
        .as_object()
        .is_some_and(|members| members.values().all(Value::is_string));
    if all_texts {
        Ok(())
    } else {
        Err(format!("`{member}` is no object of texts"))
    }
}
