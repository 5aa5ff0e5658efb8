// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Fresh field ids for a new table, in the order of the Java reference: all fields of a struct first, then into
//! each of their types; a list numbers its element, a map its key and value, before going into them.
//!
//! The ids are changed in the JSON itself, so that members which nobody here knows survive.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::schema::{Schema, int32};

/// The numbering of one schema.
#[derive(Debug)]
pub(crate) struct FreshIds {
    last: i32,
    /// Old id to new id.
    renumbered: BTreeMap<i32, i32>,
}

impl FreshIds {
    /// Renumbers a schema from 1 and gives it the id 0.
    ///
    /// # Errors
    /// What is wrong with the schema.
    pub(crate) fn assign(schema: &Value) -> Result<(Value, Self), String> {
        // Everything below relies on a schema that reads well, with distinct ids.
        Schema::parse(schema)?;
        let mut schema = schema.clone();
        let mut ids = Self {
            last: 0,
            renumbered: BTreeMap::new(),
        };
        ids.renumber_struct(&mut schema);
        if let Some(members) = schema.as_object_mut() {
            members.insert("schema-id".to_owned(), json!(0));
            if let Some(Value::Array(identifiers)) = members.get_mut("identifier-field-ids") {
                for identifier in identifiers {
                    if let Some(fresh) = int32(identifier).and_then(|old| ids.fresh(old)) {
                        *identifier = fresh.into();
                    }
                }
            }
        }
        Ok((schema, ids))
    }

    /// The highest assigned id.
    pub(crate) fn last(&self) -> i32 {
        self.last
    }

    /// The new id of what had `old`.
    pub(crate) fn fresh(&self, old: i32) -> Option<i32> {
        self.renumbered.get(&old).copied()
    }

    fn next(&mut self, members: &mut Map<String, Value>, name: &str) {
        self.last = self.last.saturating_add(1);
        if let Some(old) = members.get(name).and_then(int32) {
            self.renumbered.insert(old, self.last);
        }
        members.insert(name.to_owned(), self.last.into());
    }

    fn renumber_struct(&mut self, json: &mut Value) {
        let Some(fields) = json.get_mut("fields").and_then(Value::as_array_mut) else {
            return;
        };
        for field in fields.iter_mut().filter_map(Value::as_object_mut) {
            self.next(field, "id");
        }
        for field in fields.iter_mut() {
            if let Some(inner) = field.get_mut("type") {
                self.renumber_type(inner);
            }
        }
    }

    fn renumber_type(&mut self, json: &mut Value) {
        match json.get("type").and_then(Value::as_str) {
            Some("struct") => self.renumber_struct(json),
            Some("list") => {
                if let Some(members) = json.as_object_mut() {
                    self.next(members, "element-id");
                }
                if let Some(element) = json.get_mut("element") {
                    self.renumber_type(element);
                }
            }
            Some("map") => {
                if let Some(members) = json.as_object_mut() {
                    self.next(members, "key-id");
                    self.next(members, "value-id");
                }
                for part in ["key", "value"] {
                    if let Some(part) = json.get_mut(part) {
                        self.renumber_type(part);
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_assigned_breadth_first_per_struct() {
        let (schema, ids) = FreshIds::assign(&json!({
            "type": "struct", "schema-id": 7, "identifier-field-ids": [10],
            "fields": [
                {"id": 10, "name": "a", "required": true, "type": "long", "x-unknown": {"kept": true}},
                {"id": 11, "name": "s", "required": false, "type": {"type": "struct", "fields": [
                    {"id": 20, "name": "p", "required": false, "type": "int"},
                    {"id": 21, "name": "q", "required": false, "type": {"type": "list", "element-id": 22, "element": "string", "element-required": false}}
                ]}},
                {"id": 12, "name": "m", "required": false, "type": {"type": "map", "key-id": 30, "key": "string", "value-id": 31, "value": "int", "value-required": false}}
            ]
        }))
        .unwrap();
        assert_eq!(ids.last(), 8);
        assert_eq!(
            [10, 11, 12, 20, 21, 22, 30, 31].map(|old| ids.fresh(old).unwrap()),
            [1, 2, 3, 4, 5, 6, 7, 8]
        );
        assert_eq!(schema.get("schema-id"), Some(&json!(0)));
        assert_eq!(schema.get("identifier-field-ids"), Some(&json!([1])));
        assert_eq!(schema.pointer("/fields/0/x-unknown/kept"), Some(&json!(true)));
        assert_eq!(schema.pointer("/fields/2/type/value-id"), Some(&json!(8)));
    }

    #[test]
    fn duplicate_ids_are_refused() {
        let error = FreshIds::assign(&json!({"type": "struct", "fields": [
            {"id": 1, "name": "a", "required": true, "type": "long"},
            {"id": 1, "name": "b", "required": true, "type": "long"}
        ]}))
        .unwrap_err();
        assert_eq!(error, "two fields of the schema have the same id");
    }
}
