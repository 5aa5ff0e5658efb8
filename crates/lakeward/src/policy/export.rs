// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `lakeward policy export`: the policies and tags of a server as files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::place::Place;
use super::state::State;
use super::tree;

/// Write the policies and tags of a server to a directory, one file each, for keeping them in git.
///
/// A policy's file has its content and the tags that it is on; a tag's file has the objects that it
/// is on. The files are the same, byte for byte, as long as nothing has changed. What the caller
/// may not see is left out. Files of policies and tags that are gone from the server are removed;
/// tests and everything else in the directory stay. `lakeward policy apply` carries the directory
/// back.
///
///   lakeward policy export --user admin --metalake shop --to governance
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The directory; it is made when there is none
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    #[command(flatten)]
    place: Place,
}

/// Reads the server and writes what is different.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (client, metalake) = arguments.place.client().await?;
    let state = State::of_server(&client, &metalake).await?;
    let written = write(&state, &arguments.to)?;
    println!(
        "{} policies and {} tags of `{metalake}` are in `{}`: {} files written, {} removed",
        state.policies.len(),
        state.tags.len(),
        arguments.to.display(),
        written.changed,
        written.removed
    );
    Ok(ExitCode::SUCCESS)
}

/// The folders of new files.
const POLICIES: &str = "policies";
const TAGS: &str = "tags";

/// A file that is there.
struct Earlier<'tree> {
    path: &'tree Path,
    /// Whether it says what the server says; it may say it in its own way, with comments.
    is_same: bool,
}

/// What became of the files.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Files that are new or different now.
    pub(crate) changed: usize,
    /// Files of what is no more.
    pub(crate) removed: usize,
}

/// Writes a state. A policy or tag that has a file somewhere in the directory keeps that file.
pub(crate) fn write(state: &State, directory: &Path) -> anyhow::Result<Written> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("the folder `{}` cannot be made", directory.display()))?;
    let tree = tree::Tree::read(directory)?;
    if let Some(problem) = tree.malformed.first() {
        bail!("{problem}; mend or remove it first, so that nothing is overwritten that you still need");
    }
    let mut earlier: BTreeMap<(&str, String), Earlier> = BTreeMap::new();
    for (path, file) in &tree.policies {
        let name = file.policy.value.clone();
        let says = file.checked(path).ok();
        let is_same = says.is_some() && says.as_ref() == state.policies.get(&name);
        earlier.insert((POLICIES, name), Earlier { path, is_same });
    }
    for (path, file) in &tree.tags {
        let name = file.tag.value.clone();
        let says = file.checked(path).ok();
        let is_same = says.is_some() && says.as_ref() == state.tags.get(&name);
        earlier.insert((TAGS, name), Earlier { path, is_same });
    }
    let mut texts: Vec<(&str, &str, String)> = Vec::new();
    for (name, policy) in &state.policies {
        texts.push((POLICIES, name, tree::write_policy(name, policy)?));
    }
    for (name, tag) in &state.tags {
        texts.push((TAGS, name, tree::write_tag(name, tag)?));
    }
    let mut written = Written {
        changed: 0,
        removed: 0,
    };
    for (folder, name, text) in texts {
        let path = match earlier.remove(&(folder, name.to_owned())) {
            Some(Earlier { is_same: true, .. }) => continue,
            Some(Earlier { path, .. }) => path.to_owned(),
            None => directory.join(folder).join(file_name(name)),
        };
        written.changed += usize::from(write_if_different(&path, &text)?);
    }
    for Earlier { path, .. } in earlier.values() {
        std::fs::remove_file(path).with_context(|| format!("`{}` cannot be removed", path.display()))?;
        written.removed += 1;
    }
    Ok(written)
}

fn write_if_different(path: &Path, text: &str) -> anyhow::Result<bool> {
    if std::fs::read_to_string(path).is_ok_and(|before| before == text) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("the folder `{}` cannot be made", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("`{}` cannot be written", path.display()))?;
    Ok(true)
}

/// A file for a name: letters, digits, `_` and `-` as they are, and dots that are not in front; of everything else the
/// bytes as `%XX`. Capitals are escaped too, since some file systems do not tell them from small letters.
fn file_name(name: &str) -> String {
    let mut file = String::with_capacity(name.len() + 5);
    for (at, byte) in name.bytes().enumerate() {
        let is_plain = byte.is_ascii_lowercase()
            || byte.is_ascii_digit()
            || matches!(byte, b'_' | b'-')
            || (byte == b'.' && at > 0);
        if is_plain {
            file.push(char::from(byte));
        } else {
            file.push_str(&format!("%{byte:02x}"));
        }
    }
    file.push_str(".yaml");
    file
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use lakeward_metadata::kind::ObjectKind;
    use lakeward_metadata::object::MetadataObject;
    use serde_json::json;

    use super::{Written, file_name, write};
    use crate::policy::state::{Policy, State, Tag};
    use crate::policy::tree::Tree;

    fn state() -> State {
        let policy = |policy_type: &str, content| Policy {
            policy_type: policy_type.to_owned(),
            comment: Some("yes: no # \"x\"\nand more".to_owned()),
            enabled: true,
            content,
            on: BTreeMap::from([("a b".to_owned(), None), ("t".to_owned(), Some("on".to_owned()))]),
        };
        let expression =
            "filter := col(\"a: b\") == \"# no\\u00e9\" if is_group_member(\"g\")\n\telse := false\n";
        let custom = json!({"customRules": {"x": [1, 2.5, null]}, "supportedObjectTypes": ["table"], "properties": {}});
        State {
            policies: BTreeMap::from([
                (
                    "own".to_owned(),
                    policy("system_row_filter", json!({ "expression": expression })),
                ),
                (
                    "007".to_owned(),
                    policy(
                        "system_column_mask",
                        json!({"expression": "mask := action(\"show-last-4\")"}),
                    ),
                ),
                ("~".to_owned(), policy("custom", custom)),
            ]),
            tags: BTreeMap::from([(
                "true".to_owned(),
                Tag {
                    comment: None,
                    properties: BTreeMap::from([("owner".to_owned(), "12".to_owned())]),
                    allowed_values: Some(vec!["2026-01-01".to_owned(), "null".to_owned()]),
                    assigned: BTreeMap::from([(
                        MetadataObject::parse(ObjectKind::Schema, "lake.sales:eu").unwrap(),
                        BTreeSet::from(["null".to_owned()]),
                    )]),
                },
            )]),
        }
    }

    #[test]
    fn what_is_written_is_read_back_and_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let state = state();
        let written = |changed, removed| Written { changed, removed };
        assert_eq!(write(&state, folder.path()).unwrap(), written(4, 0));
        let read = State::of_tree(&Tree::read(folder.path()).unwrap()).unwrap();
        assert_eq!(read, state);
        assert_eq!(write(&state, folder.path()).unwrap(), written(0, 0));
        // What people write beside and around it stays as long as it says the same.
        let own = folder.path().join("policies/own.yaml");
        let text = format!("# why\n{}", std::fs::read_to_string(&own).unwrap());
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        let moved = folder.path().join("mine/rows.yaml");
        std::fs::write(&moved, &text).unwrap();
        std::fs::remove_file(&own).unwrap();
        assert_eq!(write(&state, folder.path()).unwrap(), written(0, 0));
        assert_eq!(std::fs::read_to_string(&moved).unwrap(), text);
        let mut less = state.clone();
        less.policies.get_mut("own").unwrap().enabled = false;
        less.policies.remove("007");
        assert_eq!(write(&less, folder.path()).unwrap(), written(1, 1));
        let read = State::of_tree(&Tree::read(folder.path()).unwrap()).unwrap();
        assert_eq!(read, less);
        std::fs::write(&moved, "policy: own\n").unwrap();
        assert!(
            write(&less, folder.path())
                .unwrap_err()
                .to_string()
                .contains("rows.yaml:1")
        );
    }

    #[test]
    fn names_become_files_of_their_folder() {
        assert_eq!(file_name("own_region-2"), "own_region-2.yaml");
        assert_eq!(file_name("../Ab c"), "%2e.%2f%41b%20c.yaml");
        assert_eq!(file_name("ä"), "%c3%a4.yaml");
    }
}
