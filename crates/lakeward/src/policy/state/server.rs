// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The state of a server, as far as the caller sees it.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt, TryStreamExt, stream};
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::object::MetadataObject;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::{Policy, State, Tag};
use crate::client::{NativeClient, Refused, understood};

/// How many questions are open at a time.
const OPEN_QUESTIONS: usize = 8;

#[derive(Deserialize)]
struct Policies {
    policies: Vec<PolicyAnswer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PolicyAnswer {
    name: String,
    #[serde(default)]
    comment: Option<String>,
    policy_type: String,
    enabled: bool,
    content: Value,
}

#[derive(Deserialize)]
struct Associations {
    associations: Vec<Association>,
}

#[derive(Deserialize)]
struct Association {
    tag: String,
    selector: SelectorAnswer,
}

#[derive(Deserialize)]
struct SelectorAnswer {
    #[serde(default)]
    value: Option<String>,
}

#[derive(Deserialize)]
struct Tags {
    tags: Vec<TagAnswer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TagAnswer {
    name: String,
    #[serde(default)]
    comment: Option<String>,
    #[serde(default)]
    properties: Option<BTreeMap<String, String>>,
    #[serde(default)]
    allowed_values: Option<Vec<String>>,
    #[serde(default)]
    assignment_values: Option<Vec<String>>,
    #[serde(default)]
    inherited: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Objects {
    metadata_objects: Vec<ObjectAnswer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ObjectAnswer {
    #[serde(rename = "type")]
    kind: String,
    full_name: String,
}

impl State {
    /// Reads policies, tags, which policy is on which tag, and which tag is on which object. What the caller may not
    /// see is not in it.
    ///
    /// # Errors
    /// What the server refuses, and answers that are not understood.
    pub(crate) async fn of_server(client: &NativeClient, metalake: &str) -> anyhow::Result<Self> {
        let details = [("details", "true")];
        let listed: Policies = understood(
            client
                .get_with(&["metalakes", metalake, "policies"], &details)
                .await?,
        )?;
        let policies = stream::iter(listed.policies)
            .map(|policy| policy_with_tags(client, metalake, policy))
            .buffered(OPEN_QUESTIONS)
            .try_filter_map(|found| std::future::ready(Ok(found)))
            .try_collect()
            .await?;
        let listed: Tags = understood(
            client
                .get_with(&["metalakes", metalake, "tags"], &details)
                .await?,
        )?;
        let mut tags: BTreeMap<String, Tag> = listed
            .tags
            .into_iter()
            .map(|tag| {
                let read = Tag {
                    comment: tag.comment.filter(|comment| !comment.is_empty()),
                    properties: tag.properties.unwrap_or_default(),
                    allowed_values: tag.allowed_values,
                    assigned: BTreeMap::new(),
                };
                (tag.name, read)
            })
            .collect();
        let objects: Vec<BTreeSet<MetadataObject>> = stream::iter(tags.keys().cloned().collect::<Vec<_>>())
            .map(|tag| objects_of(client, metalake, tag))
            .buffered(OPEN_QUESTIONS)
            .try_collect()
            .await?;
        let objects: BTreeSet<MetadataObject> = objects.into_iter().flatten().collect();
        let assigned: Vec<_> = stream::iter(objects)
            .map(|object| direct_tags(client, metalake, object))
            .buffered(OPEN_QUESTIONS)
            .try_collect()
            .await?;
        for (object, on_object) in assigned {
            for (tag, values) in on_object {
                if let Some(tag) = tags.get_mut(&tag) {
                    tag.assigned.insert(object.clone(), values);
                }
            }
        }
        Ok(Self { policies, tags })
    }
}

/// An answer, or nothing for what somebody dropped since it was listed.
fn still_there(answered: anyhow::Result<Value>) -> anyhow::Result<Option<Value>> {
    match answered {
        Ok(answer) => Ok(Some(answer)),
        Err(error) => match error.downcast_ref::<Refused>() {
            Some(refused) if refused.status == StatusCode::NOT_FOUND => Ok(None),
            Some(_) | None => Err(error),
        },
    }
}

async fn policy_with_tags(
    client: &NativeClient,
    metalake: &str,
    policy: PolicyAnswer,
) -> anyhow::Result<Option<(String, Policy)>> {
    let path = ["metalakes", metalake, "policies", &policy.name, "tags"];
    let Some(on) = still_there(client.get_with(&path, &[("details", "true")]).await)? else {
        return Ok(None);
    };
    let on: Associations = understood(on)?;
    let read = Policy {
        policy_type: policy.policy_type,
        comment: policy.comment.filter(|comment| !comment.is_empty()),
        enabled: policy.enabled,
        content: policy.content,
        on: on
            .associations
            .into_iter()
            .map(|association| (association.tag, association.selector.value))
            .collect(),
    };
    Ok(Some((policy.name, read)))
}

async fn objects_of(
    client: &NativeClient,
    metalake: &str,
    tag: String,
) -> anyhow::Result<BTreeSet<MetadataObject>> {
    let path = ["metalakes", metalake, "tags", &tag, "objects"];
    let Some(answered) = still_there(client.get(&path).await)? else {
        return Ok(BTreeSet::new());
    };
    let answered: Objects = understood(answered)?;
    answered
        .metadata_objects
        .into_iter()
        .map(|object| {
            let kind: ObjectKind = object.kind.parse()?;
            Ok(MetadataObject::parse(kind, &object.full_name)?)
        })
        .collect()
}

type TagsOfObject = Vec<(String, BTreeSet<String>)>;

/// The tags that an object has of itself, with their values.
async fn direct_tags(
    client: &NativeClient,
    metalake: &str,
    object: MetadataObject,
) -> anyhow::Result<(MetadataObject, TagsOfObject)> {
    let (kind, name) = (object.kind.lower_case(), object.full_name());
    let path = ["metalakes", metalake, "objects", &kind, &name, "tags"];
    let Some(answered) = still_there(client.get_with(&path, &[("details", "true")]).await)? else {
        return Ok((object, Vec::new()));
    };
    let answered: Tags = understood(answered)?;
    let direct = answered
        .tags
        .into_iter()
        .filter(|tag| tag.inherited != Some(true))
        .map(|tag| {
            (
                tag.name,
                tag.assignment_values.unwrap_or_default().into_iter().collect(),
            )
        })
        .collect();
    Ok((object, direct))
}
