// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A JSON Schema of the keywords that we use.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::{Map, Value};

/// Keywords that say nothing of an instance.
const SILENT: [&str; 6] = ["$schema", "$id", "$comment", "$defs", "title", "description"];
/// Where the parts of a schema stand.
const DEFINITIONS: &str = "#/$defs/";

/// A schema that was read completely.
#[derive(Debug)]
pub struct Schema {
    root: Node,
    definitions: BTreeMap<String, Node>,
}

/// A schema that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct SchemaError {
    /// JSON pointer of the place.
    pub at: String,
    /// What is wrong there.
    pub problem: String,
}

#[derive(Debug, Default)]
struct Node {
    /// `false` allows nothing.
    nothing: bool,
    reference: Option<String>,
    types: Option<BTreeSet<String>>,
    allowed: Option<Vec<Value>>,
    properties: BTreeMap<String, Node>,
    required: Vec<String>,
    others: Option<Box<Node>>,
    items: Option<Box<Node>>,
    min_items: Option<u64>,
    unique: bool,
    minimum: Option<Value>,
    maximum: Option<Value>,
    pattern: Option<Regex>,
    any_of: Vec<Node>,
    one_of: Vec<Node>,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// [`SchemaError`] for text that is no JSON, a keyword that is unknown here or has a wrong value, and a reference to nothing.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        let json: Value = serde_json::from_str(text).map_err(|cause| error("", &cause.to_string()))?;
        let mut definitions = BTreeMap::new();
        if let Some(Value::Object(members)) = json.get("$defs") {
            for (name, member) in members {
                definitions.insert(name.clone(), read(member, &format!("/$defs/{name}"))?);
            }
        }
        let schema = Self {
            root: read(&json, "")?,
            definitions,
        };
        let nodes = schema.definitions.values().chain([&schema.root]);
        for node in nodes {
            schema.resolve(node)?;
        }
        Ok(schema)
    }

    /// What is wrong with an instance, each with the JSON pointer of its place.
    pub fn problems(&self, instance: &Value) -> Vec<String> {
        let mut problems = Vec::new();
        self.check(&self.root, instance, "", &mut problems);
        problems
    }

    /// As [`Self::problems`], by one of the definitions.
    ///
    /// # Errors
    /// [`SchemaError`] when there is no definition of that name.
    pub fn problems_by(&self, definition: &str, instance: &Value) -> Result<Vec<String>, SchemaError> {
        let node = self
            .definitions
            .get(definition)
            .ok_or_else(|| error("", &format!("no definition `{definition}`")))?;
        let mut problems = Vec::new();
        self.check(node, instance, "", &mut problems);
        Ok(problems)
    }

    fn resolve(&self, node: &Node) -> Result<(), SchemaError> {
        if let Some(name) = &node.reference
            && !self.definitions.contains_key(name)
        {
            return Err(error("", &format!("nothing is defined as `{name}`")));
        }
        let inner = node.properties.values().chain(&node.any_of).chain(&node.one_of);
        let boxed = [&node.others, &node.items].into_iter().flatten();
        for node in inner.chain(boxed.map(AsRef::as_ref)) {
            self.resolve(node)?;
        }
        Ok(())
    }

    fn allows(&self, node: &Node, instance: &Value) -> bool {
        let mut problems = Vec::new();
        self.check(node, instance, "", &mut problems);
        problems.is_empty()
    }

    fn check(&self, node: &Node, instance: &Value, at: &str, problems: &mut Vec<String>) {
        let mut problem = |text: String| problems.push(format!("{at}: {text}"));
        if node.nothing {
            problem("is not allowed".to_owned());
        }
        if let Some(types) = &node.types
            && !types.iter().any(|name| is_a(instance, name))
        {
            problem(format!("is none of {types:?}"));
        }
        if let Some(allowed) = &node.allowed
            && !allowed.contains(instance)
        {
            problem(format!("{instance} is none of {}", Value::Array(allowed.clone())));
        }
        if node.minimum.as_ref().is_some_and(|least| less(instance, least))
            || node.maximum.as_ref().is_some_and(|most| less(most, instance))
        {
            problem(format!("{instance} is out of range"));
        }
        if let (Some(pattern), Value::String(text)) = (&node.pattern, instance)
            && !pattern.is_match(text)
        {
            problem(format!("{instance} does not match {pattern}"));
        }
        if !node.any_of.is_empty() && !node.any_of.iter().any(|node| self.allows(node, instance)) {
            problem(format!("{instance} is none of the forms that are possible"));
        }
        let of_one = node
            .one_of
            .iter()
            .filter(|node| self.allows(node, instance))
            .count();
        if !node.one_of.is_empty() && of_one != 1 {
            problem(format!("has {of_one} of the forms of which one is possible"));
        }
        if let Some(definition) = node
            .reference
            .as_ref()
            .and_then(|name| self.definitions.get(name))
        {
            self.check(definition, instance, at, problems);
        }
        match instance {
            Value::Object(members) => self.check_members(node, members, at, problems),
            Value::Array(elements) => self.check_elements(node, elements, at, problems),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn check_members(&self, node: &Node, members: &Map<String, Value>, at: &str, problems: &mut Vec<String>) {
        for name in node.required.iter().filter(|name| !members.contains_key(*name)) {
            problems.push(format!("{at}: `{name}` is missing"));
        }
        for (name, member) in members {
            if let Some(node) = node.properties.get(name).or(node.others.as_deref()) {
                self.check(node, member, &format!("{at}/{name}"), problems);
            }
        }
    }

    fn check_elements(&self, node: &Node, elements: &[Value], at: &str, problems: &mut Vec<String>) {
        if node
            .min_items
            .is_some_and(|least| (elements.len() as u64) < least)
        {
            problems.push(format!("{at}: has too few elements"));
        }
        let repeats = |(index, element)| elements.iter().take(index).any(|other| other == element);
        if node.unique && elements.iter().enumerate().any(repeats) {
            problems.push(format!("{at}: has an element twice"));
        }
        if let Some(node) = &node.items {
            for (index, element) in elements.iter().enumerate() {
                self.check(node, element, &format!("{at}/{index}"), problems);
            }
        }
    }
}

fn read(json: &Value, at: &str) -> Result<Node, SchemaError> {
    let members = match json {
        Value::Bool(allowed) => {
            return Ok(Node {
                nothing: !allowed,
                ..Node::default()
            });
        }
        Value::Object(members) => members,
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(error(at, "a schema is an object or a boolean"));
        }
    };
    let mut node = Node::default();
    for (keyword, value) in members {
        let at = format!("{at}/{keyword}");
        let wrong = || error(&at, "has a wrong value");
        match keyword.as_str() {
            silent if SILENT.contains(&silent) => {}
            "$ref" => {
                let name = value.as_str().and_then(|text| text.strip_prefix(DEFINITIONS));
                node.reference = Some(name.ok_or_else(wrong)?.to_owned());
            }
            "type" => {
                let names = texts(value).or_else(|| value.as_str().map(|name| vec![name.to_owned()]));
                node.types = Some(names.ok_or_else(wrong)?.into_iter().collect());
            }
            "enum" => node.allowed = Some(value.as_array().ok_or_else(wrong)?.clone()),
            "const" => node.allowed = Some(vec![value.clone()]),
            "properties" => {
                for (name, member) in value.as_object().ok_or_else(wrong)? {
                    node.properties
                        .insert(name.clone(), read(member, &format!("{at}/{name}"))?);
                }
            }
            "required" => node.required = texts(value).ok_or_else(wrong)?,
            "additionalProperties" => node.others = Some(Box::new(read(value, &at)?)),
            "items" => node.items = Some(Box::new(read(value, &at)?)),
            "minItems" => node.min_items = Some(value.as_u64().ok_or_else(wrong)?),
            "uniqueItems" => node.unique = value.as_bool().ok_or_else(wrong)?,
            "minimum" => node.minimum = Some(Some(value.clone()).filter(Value::is_number).ok_or_else(wrong)?),
            "maximum" => node.maximum = Some(Some(value.clone()).filter(Value::is_number).ok_or_else(wrong)?),
            "pattern" => {
                let text = value.as_str().ok_or_else(wrong)?;
                node.pattern = Some(Regex::new(text).map_err(|cause| error(&at, &cause.to_string()))?);
            }
            "anyOf" => node.any_of = list(value, &at)?,
            "oneOf" => node.one_of = list(value, &at)?,
            _ => return Err(error(&at, "is a keyword that is unknown here")),
        }
    }
    Ok(node)
}

fn list(json: &Value, at: &str) -> Result<Vec<Node>, SchemaError> {
    let Value::Array(elements) = json else {
        return Err(error(at, "has a wrong value"));
    };
    elements
        .iter()
        .enumerate()
        .map(|(index, element)| read(element, &format!("{at}/{index}")))
        .collect()
}

fn texts(json: &Value) -> Option<Vec<String>> {
    let elements = json.as_array()?;
    elements
        .iter()
        .map(|element| element.as_str().map(str::to_owned))
        .collect()
}

fn is_a(instance: &Value, name: &str) -> bool {
    match instance {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        // 1.0 is an integer in JSON Schema.
        Value::Number(number) => {
            let whole = number.as_f64().is_some_and(|value| value.fract() == 0.0);
            name == "number" || (name == "integer" && (!number.is_f64() || whole))
        }
    }
}

/// Whether both are numbers and the first is below the second; whole numbers are compared without loss.
fn less(left: &Value, right: &Value) -> bool {
    let whole = |value: &Value| {
        let signed = value.as_i64().map(i128::from);
        signed.or_else(|| value.as_u64().map(i128::from))
    };
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => left < right,
        _ => left
            .as_f64()
            .zip(right.as_f64())
            .is_some_and(|(left, right)| left < right),
    }
}

fn error(at: &str, problem: &str) -> SchemaError {
    SchemaError {
        at: at.to_owned(),
        problem: problem.to_owned(),
    }
}

#[cfg(test)]
mod tests;
