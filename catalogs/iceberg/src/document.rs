// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Table metadata as the JSON object that it is. Changes are made to this object, so that members which nobody
//! here knows survive every commit.

use indexmap::IndexMap;
use lakeward_catalog::error::CatalogError;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::schema::Schema;

/// The id that stands for "no current snapshot" in format versions 1 and 2.
const NO_SNAPSHOT: i64 = -1;
/// Ids of partition fields are above this one.
pub(crate) const PARTITION_FIELD_ID_START: i32 = 999;

/// The metadata of one version of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    members: Map<String, Value>,
}

/// What is wrong with a document, in words.
pub(crate) type Flaw = String;

impl Document {
    /// Reads a document and fills in what old writers left out (format version 1: `schemas`, `partition-specs`,
    /// `sort-orders`, `table-uuid`; all: `refs`).
    pub(crate) fn parse(text: &[u8]) -> Result<Self, Flaw> {
        let members: Map<String, Value> = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let mut document = Self { members };
        document.normalize()?;
        Ok(document)
    }

    /// Reads a document without its history, which may be most of it: for answers that do not show any.
    pub(crate) fn parse_outline(text: &str) -> Result<Self, Flaw> {
        const HISTORY: [&str; 5] = [
            "snapshots",
            "snapshot-log",
            "metadata-log",
            "statistics",
            "partition-statistics",
        ];
        let written: IndexMap<String, &RawValue> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut members = Map::new();
        for (name, value) in written {
            if !HISTORY.contains(&name.as_str()) {
                let value =
                    serde_json::from_str(value.get()).map_err(|error| format!("`{name}`: {error}"))?;
                members.insert(name, value);
            }
        }
        let mut document = Self { members };
        document.normalize()?;
        Ok(document)
    }

    /// A document that consists of these members.
    pub(crate) fn of(members: Map<String, Value>) -> Self {
        Self { members }
    }

    /// The text that is stored.
    pub(crate) fn to_text(&self) -> Result<String, Flaw> {
        serde_json::to_string(&self.members).map_err(|error| error.to_string())
    }

    /// The names of all members.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.keys().map(String::as_str)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.members.insert(name.to_owned(), value.into());
    }

    pub(crate) fn remove(&mut self, name: &str) {
        // The order of the other members stays.
        self.members.shift_remove(name);
    }

    pub(crate) fn int(&self, name: &str) -> Result<i64, Flaw> {
        self.get(name)
            .and_then(Value::as_i64)
            .ok_or_else(|| format!("`{name}` is missing or no whole number"))
    }

    pub(crate) fn id(&self, name: &str) -> Result<i32, Flaw> {
        let number = self.int(name)?;
        i32::try_from(number).map_err(|_| format!("`{name}` does not fit into 32 bits"))
    }

    pub(crate) fn text(&self, name: &str) -> Result<&str, Flaw> {
        self.get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| format!("`{name}` is missing or no text"))
    }

    /// A list; an absent one is empty.
    pub(crate) fn list(&self, name: &str) -> &[Value] {
        self.get(name)
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// A list to change; an absent one is created.
    pub(crate) fn list_mut(&mut self, name: &str) -> Result<&mut Vec<Value>, Flaw> {
        let value = self.members.entry(name).or_insert_with(|| json!([]));
        if value.is_null() {
            *value = json!([]);
        }
        value.as_array_mut().ok_or_else(|| format!("`{name}` is no list"))
    }

    /// An object to change; an absent one is created.
    pub(crate) fn object_mut(&mut self, name: &str) -> Result<&mut Map<String, Value>, Flaw> {
        let value = self.members.entry(name).or_insert_with(|| json!({}));
        if value.is_null() {
            *value = json!({});
        }
        value
            .as_object_mut()
            .ok_or_else(|| format!("`{name}` is no object"))
    }

    /// The element of a list whose member `key` is `id`.
    pub(crate) fn element(&self, list: &str, key: &str, id: i64) -> Option<&Value> {
        self.list(list)
            .iter()
            .find(|element| element.get(key).and_then(Value::as_i64) == Some(id))
    }

    pub(crate) fn format_version(&self) -> Result<i64, Flaw> {
        let version = self.int("format-version")?;
        if (1..=3).contains(&version) {
            Ok(version)
        } else {
            Err(format!(
                "format version {version} is not supported; 1, 2 and 3 are"
            ))
        }
    }

    /// A table property.
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        self.get("properties")?.get(name)?.as_str()
    }

    pub(crate) fn schema(&self, id: i32) -> Result<Schema, Flaw> {
        let schema = self
            .element("schemas", "schema-id", i64::from(id))
            .ok_or_else(|| format!("there is no schema with id {id}"))?;
        Schema::parse(schema)
    }

    pub(crate) fn current_schema(&self) -> Result<Schema, Flaw> {
        self.schema(self.id("current-schema-id")?)
    }

    pub(crate) fn current_snapshot_id(&self) -> Option<i64> {
        self.get("current-snapshot-id")
            .and_then(Value::as_i64)
            .filter(|id| *id != NO_SNAPSHOT)
    }

    /// Sets or clears the current snapshot, in the spelling of the format version.
    pub(crate) fn set_current_snapshot_id(&mut self, id: Option<i64>) {
        let value = match id {
            Some(id) => Value::from(id),
            None if self.int("format-version").is_ok_and(|version| version >= 3) => Value::Null,
            None => Value::from(NO_SNAPSHOT),
        };
        self.set("current-snapshot-id", value);
    }

    pub(crate) fn snapshot(&self, id: i64) -> Option<&Value> {
        self.element("snapshots", "snapshot-id", id)
    }

    /// The snapshot of a branch or tag.
    pub(crate) fn reference(&self, name: &str) -> Option<i64> {
        self.get("refs")?.get(name)?.get("snapshot-id")?.as_i64()
    }

    /// The members that only readers of format version 1 need: kept in step for a table of that version, dropped
    /// for others.
    pub(crate) fn write_legacy_members(&mut self) -> Result<(), Flaw> {
        if self.format_version()? != 1 {
            self.remove("schema");
            self.remove("partition-spec");
            return Ok(());
        }
        let schema = self
            .element("schemas", "schema-id", self.int("current-schema-id")?)
            .cloned();
        self.set("schema", schema.unwrap_or(Value::Null));
        let spec = self
            .element("partition-specs", "spec-id", self.int("default-spec-id")?)
            .and_then(|spec| spec.get("fields"))
            .cloned();
        self.set("partition-spec", spec.unwrap_or_else(|| json!([])));
        Ok(())
    }

    fn normalize(&mut self) -> Result<(), Flaw> {
        let version = self.format_version()?;
        if self.get("schemas").is_none() {
            let mut schema = self
                .get("schema")
                .and_then(Value::as_object)
                .cloned()
                .ok_or("neither `schemas` nor `schema` is there")?;
            let id = schema.get("schema-id").and_then(Value::as_i64).unwrap_or(0);
            schema.insert("schema-id".to_owned(), id.into());
            self.set("schemas", json!([schema]));
            self.set("current-schema-id", id);
        }
        if self.get("current-schema-id").is_none() {
            return Err("`current-schema-id` is missing".to_owned());
        }
        if self.get("partition-specs").is_none() {
            let mut fields = self.list("partition-spec").to_vec();
            for (next, field) in (PARTITION_FIELD_ID_START + 1..).zip(&mut fields) {
                if let Some(field) = field.as_object_mut() {
                    field.entry("field-id").or_insert_with(|| next.into());
                }
            }
            self.set("partition-specs", json!([{ "spec-id": 0, "fields": fields }]));
            self.set("default-spec-id", 0);
        }
        if self.get("last-partition-id").is_none() {
            let highest = self
                .list("partition-specs")
                .iter()
                .filter_map(|spec| spec.get("fields")?.as_array())
                .flatten()
                .filter_map(|field| field.get("field-id")?.as_i64())
                .max()
                .unwrap_or(i64::from(PARTITION_FIELD_ID_START));
            self.set("last-partition-id", highest);
        }
        if self.get("sort-orders").is_none() {
            self.set("sort-orders", json!([{ "order-id": 0, "fields": [] }]));
            self.set("default-sort-order-id", 0);
        }
        if version == 1 && self.get("table-uuid").is_none() {
            let uuid = crate::facts::stand_in_uuid(self.text("location")?);
            self.set("table-uuid", uuid);
        }
        if self.get("refs").is_none() {
            let references = match self.current_snapshot_id() {
                Some(id) => json!({ "main": { "snapshot-id": id, "type": "branch" } }),
                None => json!({}),
            };
            self.set("refs", references);
        }
        Ok(())
    }
}

/// Attaches the place of a document to what is wrong with it.
pub(crate) fn invalid_metadata(location: &str) -> impl Fn(Flaw) -> CatalogError + '_ {
    move |reason| CatalogError::MetadataInvalid {
        location: location.to_owned(),
        reason,
    }
}
