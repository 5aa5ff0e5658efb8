// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a server would know of the table: columns, tags where they are assigned, policies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use lakeward_governance::effective_tag::TaggedObject;
use lakeward_governance::resolve::GovernanceFacts;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use lakeward_read_restrictions::field::{Field, FieldType};
use lakeward_read_restrictions::schema::{fields_from_schema, primitive};
use serde_json::{Value, json};
use serde_saphyr::Spanned;

use super::file::{Case, TestFile};
use super::policies::{TestedPolicy, beside, policies};
use crate::policy::malformed::Malformed;
use crate::policy::plan::ancestors;
use crate::policy::tree::read_tag;

type Assignments = BTreeMap<MetadataObject, BTreeMap<String, BTreeSet<String>>>;

/// What all cases of a file share.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) table: MetadataObject,
    pub(super) fields: Vec<Field>,
    policies: Vec<TestedPolicy>,
    assignments: Assignments,
}

impl Given {
    /// Reads everything but the cases.
    pub(super) fn new(path: &Path, file: &TestFile) -> Result<Self, Malformed> {
        let table = MetadataObject::parse(ObjectKind::Table, &file.table.value)
            .map_err(|error| Malformed::at(path, &file.table, error.to_string()))?;
        let mut given = Self {
            table,
            fields: fields(path, file)?,
            policies: policies(path, file)?,
            assignments: Assignments::new(),
        };
        given.assignments = given.of_tag_files(path, file)?;
        let stated = given.stated(path, &file.tags)?;
        given.assignments.extend(stated);
        Ok(given)
    }

    /// The facts of one case, whose tags stand for those of the file.
    pub(super) fn facts(&self, path: &Path, case: &Case) -> Result<GovernanceFacts, Malformed> {
        let mut assignments = self.assignments.clone();
        assignments.extend(self.stated(path, &case.tags)?);
        for policy in &self.policies {
            for (tag, column) in &policy.applies_to {
                let object = column
                    .as_ref()
                    .map_or_else(|| self.table.clone(), |name| self.column(name));
                let on_object = assignments.entry(object).or_default();
                on_object.entry(tag.clone()).or_default();
            }
        }
        let tagged = |object: MetadataObject| {
            let rows = assignments.get(&object).into_iter().flatten();
            let tags = rows.flat_map(|(tag, values)| rows_of(tag, values)).collect();
            TaggedObject { object, tags }
        };
        let levels = [self.table.clone()].into_iter().chain(ancestors(&self.table));
        let columns = self
            .fields
            .iter()
            .map(|field| (field.id, tagged(self.column(&field.name))))
            .filter(|(_, column)| !column.tags.is_empty());
        Ok(GovernanceFacts {
            columns: columns.collect(),
            levels: levels.map(tagged).collect(),
            associations: self
                .policies
                .iter()
                .flat_map(|policy| policy.on.clone())
                .collect(),
            policies: self
                .policies
                .iter()
                .map(|policy| (policy.stored.name.clone(), Arc::new(policy.stored.clone())))
                .collect(),
        })
    }

    fn column(&self, name: &str) -> MetadataObject {
        let mut path = self.table.path.clone();
        path.push(name.to_owned());
        MetadataObject {
            kind: ObjectKind::Column,
            path,
        }
    }

    /// The objects whose tags count: the table, those above it, its columns.
    fn objects(&self) -> Vec<MetadataObject> {
        let columns = self.fields.iter().map(|field| self.column(&field.name));
        [self.table.clone()]
            .into_iter()
            .chain(ancestors(&self.table))
            .chain(columns)
            .collect()
    }

    fn stated(&self, path: &Path, tags: &IndexMap<String, Spanned<Value>>) -> Result<Assignments, Malformed> {
        let objects = self.objects();
        let mut assignments = Assignments::new();
        for (name, on_object) in tags {
            let wrong = |problem: String| Malformed::at(path, on_object, problem);
            let Some(object) = objects.iter().find(|object| object.full_name() == *name) else {
                return Err(wrong(format!(
                    "`{name}` is neither the table `{}`, nor above it, nor one of its columns",
                    self.table.full_name()
                )));
            };
            assignments.insert(object.clone(), tags_of(&on_object.value).map_err(wrong)?);
        }
        Ok(assignments)
    }

    fn of_tag_files(&self, path: &Path, file: &TestFile) -> Result<Assignments, Malformed> {
        let objects = self.objects();
        let mut assignments = Assignments::new();
        for named in &file.tag_files {
            let at = beside(path, &named.value);
            if !at.exists() {
                let problem = format!("there is no file `{}`", at.display());
                return Err(Malformed::at(path, named, problem));
            }
            let tag_file = read_tag(&at)?;
            for (object, values) in tag_file.checked(&at)?.assigned {
                if objects.contains(&object) {
                    let on_object: &mut BTreeMap<_, _> = assignments.entry(object).or_default();
                    on_object.insert(tag_file.tag.value.clone(), values);
                }
            }
        }
        Ok(assignments)
    }
}

/// Value rows of one assignment; a row without value is an assignment without one.
fn rows_of(tag: &str, values: &BTreeSet<String>) -> Vec<(String, Option<String>)> {
    if values.is_empty() {
        return vec![(tag.to_owned(), None)];
    }
    values
        .iter()
        .map(|value| (tag.to_owned(), Some(value.clone())))
        .collect()
}

/// `pii`, `[pii, secret]`, or `{access: restricted, level: [a, b], pii: null}`.
fn tags_of(stated: &Value) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    const FORM: &str =
        "tags are a name, a list of names, or names with values: `{access: restricted}`, `{level: [a, b]}`";
    let name = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| FORM.to_owned());
    match stated {
        Value::String(tag) => Ok(BTreeMap::from([(tag.clone(), BTreeSet::new())])),
        Value::Array(tags) => tags.iter().map(|tag| Ok((name(tag)?, BTreeSet::new()))).collect(),
        Value::Object(tags) => tags
            .iter()
            .map(|(tag, values)| {
                let values = match values {
                    Value::Null => BTreeSet::new(),
                    Value::Array(values) => values.iter().map(name).collect::<Result<_, _>>()?,
                    Value::String(value) => BTreeSet::from([value.clone()]),
                    Value::Bool(_) | Value::Number(_) | Value::Object(_) => return Err(FORM.to_owned()),
                };
                Ok((tag.clone(), values))
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Err(FORM.to_owned()),
    }
}

fn fields(path: &Path, file: &TestFile) -> Result<Vec<Field>, Malformed> {
    if file.columns.is_empty() {
        return Err(Malformed::at(path, &file.table, "the table has no columns"));
    }
    file.columns
        .iter()
        .zip(1_i32..)
        .map(|((name, stated), id)| {
            let (field_type, required) =
                type_of(&stated.value).map_err(|problem| Malformed::at(path, stated, problem))?;
            Ok(Field {
                id,
                name: name.clone(),
                field_type,
                required,
            })
        })
        .collect()
}

/// `long`, `long required`, `decimal(9,2)`, or a nested type as Iceberg's JSON.
fn type_of(stated: &Value) -> Result<(FieldType, bool), String> {
    if stated.is_object() {
        let schema = json!({"type": "struct", "fields": [
            {"id": 1, "name": "column", "required": false, "type": stated}]});
        let fields = fields_from_schema(&schema).map_err(|error| error.to_string())?;
        let field = fields.into_iter().next().ok_or("a type was expected")?;
        return Ok((field.field_type, false));
    }
    let text = stated.as_str().unwrap_or_default().trim();
    let (name, required) = match text.strip_suffix("required") {
        Some(name) => (name.trim_end(), true),
        None => (text, false),
    };
    match primitive(name) {
        Some(field_type) => Ok((field_type, required)),
        None => Err(format!(
            "`{text}` is no type of Iceberg; write for instance `long`, `string required` or `decimal(9,2)`"
        )),
    }
}
