// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Objects of a metalake as a tree, each with what is effective there.

use std::collections::BTreeMap;

use serde_json::Value;

use super::text::{entries, saying, text};

/// An object of the tree: by its own name, and what is said of it, if anything is.
#[derive(Default)]
struct Branch<'a> {
    said: Vec<&'a Value>,
    below: BTreeMap<String, Branch<'a>>,
}

/// The tree below a metalake, a line for each object; with `roles` also a line for each thing that a role says.
pub(crate) fn tree(metalake: &str, items: &[Value], roles: bool) -> String {
    let mut root = Branch::default();
    for item in items {
        let kind = inside(item, "/object/type");
        let name = inside(item, "/object/fullName");
        let mut branch = &mut root;
        for step in steps(kind, name) {
            branch = branch.below.entry(step).or_default();
        }
        branch.said.push(item);
    }
    if items.is_empty() {
        return format!("{metalake}: nothing is granted, denied or owned\n");
    }
    let mut lines = vec![format!("{metalake}{}", told(&root.said))];
    if roles {
        lines.extend(sayings(&root.said).map(|line| format!("  {line}")));
    }
    draw(&root, "", roles, &mut lines);
    lines.push(String::new());
    lines.join("\n")
}

/// The way from the metalake to an object. What is in a schema, or beside the catalogs, says what it is.
fn steps(kind: &str, name: &str) -> Vec<String> {
    match kind {
        "metalake" => Vec::new(),
        "catalog" => vec![name.to_owned()],
        "schema" => name.splitn(2, '.').map(str::to_owned).collect(),
        "table" | "view" | "topic" | "fileset" | "model" | "function" => {
            let mut steps: Vec<String> = name.splitn(3, '.').map(str::to_owned).collect();
            if let Some(leaf) = steps.last_mut() {
                *leaf = format!("{leaf} ({kind})");
            }
            steps
        }
        _ => vec![format!("{name} ({kind})")],
    }
}

fn draw(branch: &Branch<'_>, indent: &str, roles: bool, lines: &mut Vec<String>) {
    let mut left = branch.below.len();
    for (name, below) in &branch.below {
        left -= 1;
        let (corner, next) = if left == 0 {
            ("└── ", format!("{indent}    "))
        } else {
            ("├── ", format!("{indent}│   "))
        };
        lines.push(format!("{indent}{corner}{name}{}", told(&below.said)));
        if roles {
            let end = if below.below.is_empty() { "  " } else { "│ " };
            lines.extend(sayings(&below.said).map(|line| format!("{next}{end}{line}")));
        }
        draw(below, &next, roles, lines);
    }
}

/// What is effective at an object. Names may be shared by objects of different types, which then say their parts in turn.
fn told(said: &[&Value]) -> String {
    said.iter().map(|item| one(item)).collect()
}

/// A text inside; empty where there is none.
fn inside<'a>(item: &'a Value, pointer: &str) -> &'a str {
    item.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn one(item: &Value) -> String {
    let mut parts = Vec::new();
    match item.pointer("/owner/type").and_then(Value::as_str) {
        Some("group") => parts.push(format!(
            "owner through group {}",
            item.pointer("/owner/name")
                .and_then(Value::as_str)
                .unwrap_or("(not visible to you)")
        )),
        Some(_) => parts.push("owner".to_owned()),
        None if item["ownedAbove"] == Value::Bool(true) => parts.push("owner of what is above".to_owned()),
        None => {}
    }
    parts.extend(
        entries(&item["effective"])
            .iter()
            .map(|name| text(name).to_owned()),
    );
    parts.extend(
        entries(&item["denied"])
            .iter()
            .map(|name| format!("-{}", text(name))),
    );
    let missing: Vec<&str> = entries(&item["missing"]).iter().map(text).collect();
    if !missing.is_empty() {
        parts.push(format!("(no {})", missing.join(", no ")));
    }
    format!("  {}", parts.join(" "))
}

fn sayings<'a>(said: &'a [&Value]) -> impl Iterator<Item = String> + 'a {
    said.iter()
        .flat_map(|item| entries(&item["says"]))
        .map(|told| format!("{} {}", text(&told["condition"]), saying(told)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::tree;

    fn item(kind: &str, name: &str, effective: &[&str]) -> Value {
        json!({"object": {"type": kind, "fullName": name}, "ownedAbove": false, "says": [],
            "effective": effective, "denied": [], "missing": []})
    }

    #[test]
    fn objects_stand_below_what_they_are_in() {
        let mut table = item("table", "lake.sales.orders", &[]);
        table["denied"] = json!(["SELECT_TABLE"]);
        let mut schema = item("schema", "lake.hr", &["USE_SCHEMA"]);
        schema["missing"] = json!(["USE_CATALOG"]);
        schema["says"] = json!([{"privilege": "USE_SCHEMA", "condition": "ALLOW", "role": "r",
            "object": {"type": "schema", "fullName": "lake.hr"}, "through": {"type": "user", "name": "ann"}}]);
        let mut tag = item("tag", "pii", &["APPLY_TAG"]);
        tag["owner"] = json!({"type": "group", "name": "team"});
        let items = [item("metalake", "m", &["CREATE_CATALOG"]), table, schema, tag];
        assert_eq!(
            tree("m", &items, false),
            "m  CREATE_CATALOG\n\
             ├── lake\n\
             │   ├── hr  USE_SCHEMA (no USE_CATALOG)\n\
             │   └── sales\n\
             │       └── orders (table)  -SELECT_TABLE\n\
             └── pii (tag)  owner through group team APPLY_TAG\n"
        );
        let with_roles = tree("m", &items, true);
        assert!(
            with_roles.contains("│   │     ALLOW USE_SCHEMA on schema lake.hr by role r, held directly"),
            "{with_roles}"
        );
    }

    #[test]
    fn nothing_is_said_aloud() {
        assert_eq!(tree("m", &[], false), "m: nothing is granted, denied or owned\n");
    }
}
