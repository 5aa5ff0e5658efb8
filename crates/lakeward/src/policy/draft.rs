// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A policy that is not on the server: from a file, for `preview` and `impact`.

use std::convert::Infallible;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::check;
use super::tree;

/// A tag, or a tag with a value, as an option states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TagOption {
    pub(crate) tag: String,
    pub(crate) value: Option<String>,
}

impl FromStr for TagOption {
    type Err = Infallible;

    /// `NAME` or `NAME=VALUE`.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.split_once('=') {
            Some((tag, value)) => Self {
                tag: tag.to_owned(),
                value: Some(value.to_owned()),
            },
            None => Self {
                tag: text.to_owned(),
                value: None,
            },
        })
    }
}

/// A policy as a server takes it in questions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    pub(crate) name: String,
    policy_type: String,
    content: Value,
    tags: Vec<TagOption>,
}

impl Draft {
    /// The member of a question.
    pub(crate) fn to_json(&self) -> Value {
        let tags: Vec<Value> = self
            .tags
            .iter()
            .map(|on| match &on.value {
                None => json!({"tag": on.tag, "selector": {"type": "ALL_VALUES"}}),
                Some(value) => json!({"tag": on.tag, "selector": {"type": "TAG_VALUE", "value": value}}),
            })
            .collect();
        json!({"name": self.name, "policyType": self.policy_type, "content": self.content, "tags": tags})
    }
}

/// Reads a policy's YAML file, or an expression as `lakeward policy check` takes it. `tags` come to those of the file.
///
/// # Errors
/// A file that cannot be read, and a policy that a server would refuse.
pub(crate) fn read(path: &Path, tags: &[TagOption]) -> anyhow::Result<Draft> {
    let mut draft = if tree::is_yaml(path) {
        of_yaml(path)?
    } else {
        of_expression(path)?
    };
    for tag in tags {
        draft.tags.retain(|known| known.tag != tag.tag);
        draft.tags.push(tag.clone());
    }
    Ok(draft)
}

fn of_yaml(path: &Path) -> anyhow::Result<Draft> {
    let checked =
        tree::read_policy(path).and_then(|file| Ok((file.policy.value.clone(), file.checked(path)?)));
    let (name, policy) = checked.map_err(|problem| anyhow::anyhow!("{problem}"))?;
    if !policy.restricts() {
        bail!(
            "`{}` is a policy of type {}, which restricts nothing",
            path.display(),
            policy.policy_type
        );
    }
    let tags = policy.on.into_iter().map(|(tag, value)| TagOption { tag, value });
    Ok(Draft {
        name,
        policy_type: policy.policy_type,
        content: policy.content,
        tags: tags.collect(),
    })
}

fn of_expression(path: &Path) -> anyhow::Result<Draft> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let (policy_type, expression) =
        check::expression(&text).map_err(|refusal| anyhow::anyhow!("`{}`: {refusal}", path.display()))?;
    let name = path
        .file_stem()
        .map_or_else(|| "draft".to_owned(), |stem| stem.to_string_lossy().into_owned());
    Ok(Draft {
        name,
        policy_type: policy_type.as_str().to_owned(),
        content: json!({ "expression": expression }),
        tags: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{TagOption, read};

    fn tag(text: &str) -> TagOption {
        text.parse().unwrap()
    }

    #[test]
    fn a_draft_is_a_policy_file_or_an_expression() {
        let folder = tempfile::tempdir().unwrap();
        let expression = folder.path().join("own_rows.txt");
        std::fs::write(&expression, "filter := col(\"owner\") == session_user()\n").unwrap();
        let draft = read(&expression, &[tag("access=a=b"), tag("pii")]).unwrap();
        assert_eq!(
            draft.to_json(),
            json!({
                "name": "own_rows", "policyType": "system_row_filter",
                "content": {"expression": "filter := col(\"owner\") == session_user()\n"},
                "tags": [
                    {"tag": "access", "selector": {"type": "TAG_VALUE", "value": "a=b"}},
                    {"tag": "pii", "selector": {"type": "ALL_VALUES"}}
                ]
            })
        );
        let file = folder.path().join("x.yaml");
        std::fs::write(
            &file,
            "policy: hide\ntype: system_column_mask\nenabled: false\ntags: [{tag: pii}, {tag: access, value: x}]\nexpression: mask := action(\"show-last-4\")\n",
        )
        .unwrap();
        let draft = read(&file, &[tag("access")]).unwrap();
        assert_eq!(draft.name, "hide");
        assert_eq!(draft.tags, [tag("pii"), tag("access")]);
    }

    #[test]
    fn a_draft_that_a_server_would_refuse_is_told_where() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            read(&path, &[]).unwrap_err().to_string()
        };
        assert!(write("a.txt", "filter := nonsense").contains("unknown-word"));
        let told = write(
            "b.yaml",
            "policy: p\ntype: system_row_filter\nenabled: true\nexpression: 'filter := nonsense'\n",
        );
        assert!(
            told.contains("b.yaml:4: ") && told.contains("unknown-word"),
            "{told}"
        );
        let told = write("c.yaml", "policy: p\ntype: custom\nenabled: true\ncontent: {}\n");
        assert!(told.contains("c.yaml"), "{told}");
    }
}
