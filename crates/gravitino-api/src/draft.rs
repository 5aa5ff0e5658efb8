// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Restriction policies inside a question: what they would do is asked before they are stored (ours).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::policy_on_tag::{SelectedValue, SelectorDto};
use crate::request::{RequestError, not_blank, required};

/// The most drafts of one question.
const MOST: usize = 100;

/// A policy that is not stored. With the name of a stored one it stands in for its content, enabled, and keeps the tags
/// that the stored one is on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "an object")]
pub struct DraftDto {
    /// Its name; required.
    pub name: Option<String>,
    /// What kind it is; required.
    pub policy_type: Option<String>,
    /// What it says; required.
    pub content: Option<Value>,
    /// The tags it would be on, beside those of the policy it stands in for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tags: Option<Vec<DraftTagDto>>,
}

/// A tag that a draft would be on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct DraftTagDto {
    /// The tag; required.
    pub tag: Option<String>,
    /// For which values; absent or null: every value.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub selector: Option<SelectorDto>,
}

/// A draft, checked as far as its type does not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftPolicy {
    /// Its name.
    pub name: String,
    /// What kind it is, in lower case.
    pub policy_type: String,
    /// What it says.
    pub content: Value,
    /// The tags with the value that each selects, `None` for every value.
    pub tags: Vec<(String, SelectedValue)>,
}

/// The names of the tags that drafts would be on, each once; those that lack a name are left out, since the request is
/// refused for them later.
pub fn tags_of(drafts: &[DraftDto]) -> Vec<String> {
    let tags = drafts.iter().flat_map(|draft| draft.tags.iter().flatten());
    let names: BTreeSet<&String> = tags.filter_map(|tag| tag.tag.as_ref()).collect();
    names.into_iter().cloned().collect()
}

/// Understands the drafts of a question.
///
/// # Errors
/// [`RequestError`] naming the member that is wrong; also for two drafts of one name, two selectors of one tag, and too
/// many drafts.
pub fn drafts(given: Option<Vec<DraftDto>>) -> Result<Vec<DraftPolicy>, RequestError> {
    let given = given.unwrap_or_default();
    if given.len() > MOST {
        return Err(RequestError::invalid(
            "drafts",
            format!("at most {MOST} may be given"),
        ));
    }
    let mut drafts: Vec<DraftPolicy> = Vec::with_capacity(given.len());
    for (at, draft) in given.into_iter().enumerate() {
        let member = |name: &str| format!("drafts[{at}].{name}");
        let name = not_blank(&member("name"), draft.name)?;
        if drafts.iter().any(|other| other.name == name) {
            return Err(RequestError::invalid(
                member("name"),
                format!("`{name}` is given twice"),
            ));
        }
        let mut tags: Vec<(String, SelectedValue)> = Vec::new();
        for (at, on_tag) in draft.tags.unwrap_or_default().into_iter().enumerate() {
            let tag = not_blank(&member(&format!("tags[{at}].tag")), on_tag.tag)?;
            if tags.iter().any(|(other, _)| *other == tag) {
                return Err(RequestError::invalid(
                    member(&format!("tags[{at}].tag")),
                    format!("`{tag}` is given twice; a policy is on a tag with one selector"),
                ));
            }
            let selected = on_tag.selector.map_or(Ok(None), SelectorDto::selected)?;
            tags.push((tag, selected));
        }
        drafts.push(DraftPolicy {
            name,
            policy_type: not_blank(&member("policyType"), draft.policy_type)?.to_ascii_lowercase(),
            content: required(&member("content"), draft.content)?,
            tags,
        });
    }
    Ok(drafts)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{drafts, tags_of};

    fn given(drafts: Value) -> Vec<super::DraftDto> {
        serde_json::from_value(drafts).unwrap()
    }

    #[test]
    fn a_draft_is_understood_with_its_tags() {
        let dto = given(json!([{
            "name": "own", "policyType": "SYSTEM_ROW_FILTER", "content": {"expression": "filter := true"},
            "tags": [{"tag": "b", "selector": {"type": "TAG_VALUE", "value": "x"}}, {"tag": "a"}]
        }]));
        assert_eq!(tags_of(&dto), ["a", "b"]);
        let understood = drafts(Some(dto)).unwrap();
        assert_eq!(understood[0].policy_type, "system_row_filter");
        let tags = [("b".to_owned(), Some("x".to_owned())), ("a".to_owned(), None)];
        assert_eq!(understood[0].tags, tags);
        assert_eq!(drafts(None).unwrap(), []);
    }

    #[test]
    fn the_member_that_is_wrong_is_named() {
        let check = |dto: Value, expected: &str| {
            let error = drafts(Some(given(dto))).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        let one = json!({"name": "a", "policyType": "t", "content": {}});
        check(json!([{"policyType": "t", "content": {}}]), "drafts[0].name");
        check(json!([one, {"name": "b", "content": {}}]), "drafts[1].policyType");
        check(json!([{"name": "b", "policyType": "t"}]), "drafts[0].content");
        check(json!([one, one]), "given twice");
        let mut tagged = one.clone();
        tagged["tags"] = json!([{"tag": "x"}, {"tag": "x"}]);
        check(json!([tagged]), "drafts[0].tags[1].tag");
        tagged["tags"] = json!([{}]);
        check(json!([tagged]), "drafts[0].tags[0].tag");
        check(Value::Array(vec![one; 101]), "at most 100");
    }
}
