// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What must come out, said as plainly as possible: objects in a map, and a walk up to the root.

use std::collections::{BTreeMap, BTreeSet};

use super::history::{COLUMNS, Place, Step, TableName};

type Id = u32;
type Values = BTreeSet<&'static str>;

#[derive(Debug, Clone)]
struct Object {
    parent: Option<Id>,
    kind: &'static str,
    name: String,
    /// By identity of the tag: a new tag with the old name is another one.
    tags: BTreeMap<Id, Values>,
}

/// A tag of an object: name, values, full name of the object where it was assigned, and whether that is another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Effective {
    pub(crate) tag: &'static str,
    pub(crate) values: Values,
    pub(crate) assigned_on: String,
    pub(crate) is_inherited: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Model {
    objects: BTreeMap<Id, Object>,
    tags: BTreeMap<Id, &'static str>,
    bindings: BTreeMap<(&'static str, Id), Option<&'static str>>,
    last: Id,
    renames: usize,
}

const CATALOG: Id = 0;

impl Model {
    pub(crate) fn new() -> Self {
        let mut model = Self::default();
        model.objects.insert(
            CATALOG,
            Object {
                parent: None,
                kind: "catalog",
                name: "lake".to_owned(),
                tags: BTreeMap::new(),
            },
        );
        model
    }

    /// Lets a step happen; `false` where it has to be refused.
    pub(crate) fn apply(&mut self, step: Step) -> bool {
        self.try_apply(step).is_some()
    }

    fn try_apply(&mut self, step: Step) -> Option<()> {
        match step {
            Step::RenameCatalog => {
                self.renames += 1;
                let name = format!("lake{}", self.renames);
                self.objects.get_mut(&CATALOG)?.name = name;
            }
            Step::CreateSchema(name) => {
                if self.schema(name).is_some() {
                    return None;
                }
                let mut parent = CATALOG;
                for level in name.split(':') {
                    parent = match self.child(parent, "schema", level) {
                        Some(found) => found,
                        None => self.add(parent, "schema", level),
                    };
                }
            }
            // To drop a schema, table or tag that is not there changes nothing, and is no mistake.
            Step::DropSchema(name) => {
                if let Some(schema) = self.schema(name) {
                    self.remove(schema);
                }
            }
            Step::CreateTable(name) => {
                let schema = self.schema(name.schema)?;
                if self.child(schema, "table", name.table).is_some() {
                    return None;
                }
                let table = self.add(schema, "table", name.table);
                for column in &COLUMNS[..2] {
                    self.add(table, "column", column);
                }
            }
            Step::DropTable(name) => {
                if let Some(table) = self.table(name) {
                    self.remove(table);
                }
            }
            Step::MoveTable(from, to) => {
                let table = self.table(from)?;
                let schema = self.schema(to.schema)?;
                if self
                    .child(schema, "table", to.table)
                    .is_some_and(|other| other != table)
                {
                    return None;
                }
                let moved = self.objects.get_mut(&table)?;
                moved.parent = Some(schema);
                moved.name = to.table.to_owned();
            }
            Step::AddColumn(table, column) => {
                let table = self.table(table)?;
                if self.child(table, "column", column).is_some() {
                    return None;
                }
                self.add(table, "column", column);
            }
            Step::RenameColumn(table, from, to) => {
                let table = self.table(table)?;
                let column = self.child(table, "column", from)?;
                if self
                    .child(table, "column", to)
                    .is_some_and(|other| other != column)
                {
                    return None;
                }
                self.objects.get_mut(&column)?.name = to.to_owned();
            }
            Step::DropColumn(table, column) => {
                let column = self.child(self.table(table)?, "column", column)?;
                self.remove(column);
            }
            Step::CreateTag(name) => {
                if self.tag(name).is_some() {
                    return None;
                }
                self.last += 1;
                self.tags.insert(self.last, name);
            }
            Step::DropTag(name) => {
                if let Some(tag) = self.tag(name) {
                    self.tags.remove(&tag);
                    self.bindings.retain(|(_, bound), _| *bound != tag);
                }
            }
            Step::RenameTag(from, to) => {
                let tag = self.tag(from)?;
                if self.tag(to).is_some_and(|other| other != tag) {
                    return None;
                }
                self.tags.insert(tag, to);
            }
            Step::AssignName(place, tag) => {
                let place = self.find(place)?;
                if let Some(tag) = self.tag(tag) {
                    let tags = &mut self.objects.get_mut(&place)?.tags;
                    if tags.contains_key(&tag) {
                        return None;
                    }
                    tags.insert(tag, Values::new());
                }
            }
            Step::UnassignName(place, tag) => {
                let place = self.find(place)?;
                if let Some(tag) = self.tag(tag) {
                    self.objects.get_mut(&place)?.tags.remove(&tag);
                }
            }
            Step::AssignValue(place, tag, value) => {
                let place = self.find(place)?;
                if let Some(tag) = self.tag(tag) {
                    let tags = &mut self.objects.get_mut(&place)?.tags;
                    // Also where it was assigned without a value, whose place the value takes.
                    tags.entry(tag).or_default().insert(value);
                }
            }
            Step::UnassignValue(place, tag, value) => {
                let place = self.find(place)?;
                if let Some(tag) = self.tag(tag) {
                    let tags = &mut self.objects.get_mut(&place)?.tags;
                    if tags
                        .get_mut(&tag)
                        .is_some_and(|values| values.remove(value) && values.is_empty())
                    {
                        tags.remove(&tag);
                    }
                }
            }
            Step::Bind(policy, tag, value) => {
                let tag = self.tag(tag)?;
                self.bindings.insert((policy, tag), value);
            }
            Step::Unbind(policy, tag) => {
                let tag = self.tag(tag)?;
                self.bindings.remove(&(policy, tag));
            }
        }
        Some(())
    }

    /// The effective tags of an object: of each tag the nearest assignment, with all its values.
    pub(crate) fn effective(&self, object: Id) -> Vec<Effective> {
        let mut found: BTreeMap<Id, Effective> = BTreeMap::new();
        let mut at = Some(object);
        while let Some(id) = at {
            let Some(level) = self.objects.get(&id) else { break };
            for (tag, values) in &level.tags {
                if let Some(name) = self.tags.get(tag) {
                    found.entry(*tag).or_insert_with(|| Effective {
                        tag: name,
                        values: values.clone(),
                        assigned_on: self.full_name(id),
                        is_inherited: id != object,
                    });
                }
            }
            at = level.parent;
        }
        let mut effective: Vec<Effective> = found.into_values().collect();
        effective.sort();
        effective
    }

    /// The tags through which a policy is selected for an object.
    pub(crate) fn selecting(&self, object: Id, policy: &str) -> Vec<Effective> {
        let mut selecting = self.effective(object);
        selecting.retain(|tag| {
            self.bindings.iter().any(|((bound, id), value)| {
                *bound == policy
                    && self.tags.get(id) == Some(&tag.tag)
                    && value.is_none_or(|value| tag.values.contains(value))
            })
        });
        selecting
    }

    /// Every living object: identity, kind, full name.
    pub(crate) fn living(&self) -> Vec<(Id, &'static str, String)> {
        self.objects
            .iter()
            .map(|(id, object)| (*id, object.kind, self.full_name(*id)))
            .collect()
    }

    /// The columns of a table with their names.
    pub(crate) fn columns(&self, table: Id) -> Vec<(Id, String)> {
        self.objects
            .iter()
            .filter(|(_, object)| object.parent == Some(table))
            .map(|(id, object)| (*id, object.name.clone()))
            .collect()
    }

    /// The objects that a living tag is on directly.
    pub(crate) fn tagged(&self, tag: &str) -> BTreeSet<String> {
        let Some(tag) = self.tag(tag) else {
            return BTreeSet::new();
        };
        self.objects
            .iter()
            .filter(|(_, object)| object.tags.contains_key(&tag))
            .map(|(id, _)| self.full_name(*id))
            .collect()
    }

    pub(crate) fn has_tag(&self, tag: &str) -> bool {
        self.tag(tag).is_some()
    }

    pub(crate) fn catalog(&self) -> String {
        self.full_name(CATALOG)
    }

    pub(crate) fn next_catalog(&self) -> String {
        format!("lake{}", self.renames + 1)
    }

    fn find(&self, place: Place) -> Option<Id> {
        match place {
            Place::Catalog => Some(CATALOG),
            Place::Schema(name) => self.schema(name),
            Place::Table(name) => self.table(name),
            Place::Column(table, column) => self.child(self.table(table)?, "column", column),
        }
    }

    fn schema(&self, name: &str) -> Option<Id> {
        name.split(':')
            .try_fold(CATALOG, |parent, level| self.child(parent, "schema", level))
    }

    fn table(&self, name: TableName) -> Option<Id> {
        self.child(self.schema(name.schema)?, "table", name.table)
    }

    fn tag(&self, name: &str) -> Option<Id> {
        self.tags.iter().find(|(_, tag)| **tag == name).map(|(id, _)| *id)
    }

    fn child(&self, parent: Id, kind: &str, name: &str) -> Option<Id> {
        self.objects
            .iter()
            .find(|(_, object)| object.parent == Some(parent) && object.kind == kind && object.name == name)
            .map(|(id, _)| *id)
    }

    fn add(&mut self, parent: Id, kind: &'static str, name: &str) -> Id {
        self.last += 1;
        let object = Object {
            parent: Some(parent),
            kind,
            name: name.to_owned(),
            tags: BTreeMap::new(),
        };
        self.objects.insert(self.last, object);
        self.last
    }

    fn remove(&mut self, object: Id) {
        let below: Vec<Id> = self.columns(object).into_iter().map(|(id, _)| id).collect();
        for child in below {
            self.remove(child);
        }
        self.objects.remove(&object);
    }

    fn full_name(&self, object: Id) -> String {
        let Some(this) = self.objects.get(&object) else {
            return String::new();
        };
        let Some(parent) = this.parent else {
            return this.name.clone();
        };
        let nests = this.kind == "schema"
            && self
                .objects
                .get(&parent)
                .is_some_and(|above| above.kind == "schema");
        format!(
            "{}{}{}",
            self.full_name(parent),
            if nests { ":" } else { "." },
            this.name
        )
    }
}
