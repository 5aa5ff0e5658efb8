// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The matrix as a page for people: of each request, who may make it.

use std::collections::BTreeMap;

use crate::personas::OBJECTS;

const HEAD: &str = "\
# Who may call what

Every request of both protocols, and who is let through: measured by asking a running server as each of the personas of the
authorization matrix, so it is what the server does. The whole matrix, with denials, is
`crates/server/tests/authorization/matrix.golden`; what each route requires, in words, is `requirements.golden` beside it.

* *U* stands for `USE_CATALOG` and `USE_SCHEMA` on the metalake, which lead to everything.
* A request without names in it is about the first of: NAMES.
* A privilege is listed with the objects on which it suffices, together with *U*. A `DENY` on the object or above it takes each
  of them away again, and no other grant brings it back.
* The owner of `m` may do what the owner of anything in it may, so it is left out where another owner is named.
* A list that somebody may ask for shows what that caller may see of it.
* Each user must be an enabled user of the metalake, whatever it owns or holds.

`lakeward access explain` says of one user, one object and one request why it is let through or not.

This page is written by `UPDATE_EXPECT=1 cargo test -p lakeward-server --test authorization matrix`.

| Request | Who may |
|---|---|
";

/// The page of these rows; each has a cell for each column.
pub(crate) fn page(rows: &[(String, String)], columns: &[(String, String)]) -> String {
    let labels: Vec<&str> = columns.iter().map(|(label, _)| label.as_str()).collect();
    let objects = OBJECTS
        .iter()
        .map(|(kind, name)| format!("{} `{name}`", kind.lower_case().replace('_', " ")));
    let names: Vec<String> = std::iter::once("metalake `m`".to_owned())
        .chain(objects)
        .collect();
    let mut page = HEAD.replace("NAMES", &names.join(", "));
    for (request, cells) in rows {
        let passing: Vec<&str> = labels
            .iter()
            .zip(cells.chars())
            .filter(|(_, cell)| *cell == '+')
            .map(|(label, _)| *label)
            .collect();
        page.push_str(&format!("| {} | {} |\n", told(request), who(&passing)));
    }
    page
}

/// `/path METHOD (variant)` as `METHOD /path`, variant.
fn told(request: &str) -> String {
    let (path, rest) = request.split_once(' ').unwrap_or((request, ""));
    let (method, variant) = rest.split_once(' ').unwrap_or((rest, ""));
    let variant = variant.trim_matches(['(', ')']);
    if variant.is_empty() {
        format!("`{method} {path}`")
    } else {
        format!("`{method} {path}` {variant}")
    }
}

fn who(passing: &[&str]) -> String {
    for (label, words) in [
        ("no identity", "anybody (without an identity as `anonymous`)"),
        ("outsider", "any authenticated caller"),
        ("member", "every user of the metalake"),
    ] {
        if passing.contains(&label) {
            return words.to_owned();
        }
    }
    let mut parts = Vec::new();
    let alone = owners(passing, "owner of ");
    let with_way: Vec<&str> = owners(passing, "U + owner of ")
        .into_iter()
        .filter(|object| !alone.contains(object))
        .collect();
    // Whom the way alone lets through need not own or hold anything else.
    let by_way = passing.contains(&"U");
    let with_way = if by_way { Vec::new() } else { with_way };
    let below: Vec<&str> = alone.iter().copied().filter(|object| *object != "m").collect();
    if !below.is_empty() {
        parts.push(format!("owner of {}", quoted(&below)));
    }
    if !with_way.is_empty() {
        parts.push(format!("U and owner of {}", quoted(&with_way)));
    }
    if parts.is_empty() && alone.contains(&"m") {
        parts.push("owner of `m`".to_owned());
    }
    // What is let through without a privilege does not rest on it.
    let rests_on = |privilege: &str| {
        let denied = format!("U + {privilege}@m, denied@m");
        !passing.contains(&denied.as_str())
    };
    let mut privileges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (privilege, object) in passing
        .iter()
        .filter(|label| !label.contains("denied"))
        .filter_map(|label| label.strip_prefix("U + ")?.split_once('@'))
        .filter(|(privilege, _)| !privilege.contains(' ') && rests_on(privilege))
    {
        privileges.entry(privilege).or_default().push(object);
    }
    parts.extend(
        privileges
            .iter()
            .map(|(privilege, objects)| format!("`{privilege}` on {}", quoted(objects))),
    );
    // What takes several privileges at once.
    if privileges.is_empty() {
        let together = passing.iter().filter_map(|label| {
            let names = label.strip_prefix("U + ")?.strip_suffix(" @m")?;
            Some(format!("`{}`", names.replace(" + ", "` with `")))
        });
        parts.extend(together);
    }
    if parts.is_empty() {
        return if passing.is_empty() {
            "nobody of these".to_owned()
        } else {
            "a service administrator".to_owned()
        };
    }
    parts.join("; ")
}

/// The objects whose owners pass.
fn owners<'a>(passing: &[&'a str], prefix: &str) -> Vec<&'a str> {
    passing
        .iter()
        .filter_map(|label| label.strip_prefix(prefix))
        .filter(|object| !object.contains(" + "))
        .collect()
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}
