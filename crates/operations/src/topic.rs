// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Topics: list, create, load, alter, drop. The messaging system keeps them; here are their names, comments and owners.
//!
//! A topic that exists there is given a row, without owner, when it is first met. A row whose topic is gone ends with all
//! that was granted on it, so that a topic made later under the same name inherits nothing. What is known here is always
//! read before the system is asked: whatever has a row existed there before, so that its absence means that it ended.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lakeward_authorization::seen::is_seen;
use lakeward_authorization::{Authorized, Chain, Visibility};
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::PropertyDeclarations;
use lakeward_catalog::provider::Provider;
use lakeward_catalog::topic_catalog::{TopicCatalog, TopicSetting};
use lakeward_metadata::Properties;
use lakeward_metadata::id::ObjectId;
use lakeward_metadata::kind::ObjectKind;
use lakeward_metadata::name::Name;
use lakeward_metadata::object::MetadataObject;
use lakeward_metadata::topic::{NewTopic, Topic, TopicChange};
use lakeward_store::{Area, ChainRow, Child, NewObject, ObjectChain, ObjectChange, ObjectRow, Write};

use crate::Operations;
use crate::caller::Call;
use crate::ending::ENDING;
use crate::error::OperationError;
use crate::facts::{Found, is_off};
use crate::paths::{SchemaPath, TopicPath};

/// How long a system may take to say that it is there, before a change.
const MOST_PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take for the change itself, while other writes wait for it: it has just answered. The change is asked for inside
/// the write since it is asked for by name: only there the name still means what was authorized. Ten such changes of a system that
/// answers late keep nobody from a lock for as long as locks are waited for.
const WHILE_OTHERS_WAIT: Duration = Duration::from_secs(2);

/// For how many of the topics that one request grants on their system is asked.
const MOST_MET: usize = 100;

impl Operations {
    /// The names of the topics of a schema that the caller may see.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unsupported`] for a catalog without
    /// topics, [`OperationError::Unreachable`].
    pub async fn list_topics(
        &self,
        call: &Call,
        path: Authorized<SchemaPath>,
        shown: &Visibility,
    ) -> Result<Vec<String>, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let schema = &found.row()?.object;
        let provider = self.provider_in(&found.metalake, found)?;
        let known = self.children(call, schema.id, ObjectKind::Topic).await?;
        let there = topics_of(provider.as_ref())?.list_topics(&path.schema).await?;
        // What is no name cannot be asked for.
        let there: BTreeSet<String> = there
            .into_iter()
            .filter(|name| Name::parse(ObjectKind::Topic, name).is_ok())
            .collect();
        let known = known.all();
        let are_the_same = known.iter().map(|child| &child.name).eq(&there);
        // What is shown of topics that were met just now is decided in the state in which they are known. That is done once:
        // what comes and goes meanwhile is met by the next list.
        if !are_the_same && call.facts.open.is_none() {
            self.follow(call, schema, known, &there).await?;
            return Err(OperationError::Moved);
        }
        Ok(known
            .iter()
            .filter(|child| there.contains(&child.name) && shown.shows(child.id, child.owner.as_ref()))
            .map(|child| child.name.clone())
            .collect())
    }

    /// Makes the rows of a schema those of the topics that are there.
    async fn follow(
        &self,
        call: &Call,
        schema: &ObjectRow,
        known: &[Child],
        there: &BTreeSet<String>,
    ) -> Result<(), OperationError> {
        let gone: Vec<ObjectId> = known
            .iter()
            .filter(|child| !there.contains(&child.name))
            .map(|child| child.id)
            .collect();
        let areas = if gone.is_empty() { &[Area::Objects] } else { ENDING };
        let mut write = self.write_on(call, areas).await?;
        for id in gone {
            match write.drop_object(id).await {
                Err(error) if error.is_missing() => {}
                other => drop(other?),
            }
        }
        let names: BTreeSet<&String> = known.iter().map(|child| &child.name).collect();
        for name in there.iter().filter(|name| !names.contains(name)) {
            if write.child(schema.id, ObjectKind::Topic, name).await?.is_none() {
                write
                    .create_object(&NewObject::named(schema.id, ObjectKind::Topic, name))
                    .await?;
            }
        }
        write.commit().await?;
        Ok(())
    }

    /// Creates a topic. Its creator owns it.
    ///
    /// # Errors
    /// [`OperationError::AlreadyExists`], [`OperationError::NotFound`], [`OperationError::Disabled`],
    /// [`OperationError::Invalid`] for properties that the catalog refuses, [`OperationError::Unsupported`],
    /// [`OperationError::Unreachable`].
    pub async fn create_topic(
        &self,
        call: &Call,
        path: Authorized<SchemaPath>,
        new: NewTopic,
    ) -> Result<Topic, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let schema = &found.row()?.object;
        let provider = self.provider_in(&found.metalake, found)?;
        let topics = topics_of(provider.as_ref())?;
        self.declared_of_topics(found)?.check_new(&new.properties)?;
        let name = new.name.as_str();
        // Before others wait for this write, too: a system that does not answer keeps nobody else waiting.
        if in_time(MOST_PATIENCE, topics.load_topic(&path.schema, name))
            .await?
            .is_some()
        {
            return Err(OperationError::already_exists(ObjectKind::Topic, name));
        }
        let mut write = self.write(call, ENDING).await?;
        let properties = in_time(
            WHILE_OTHERS_WAIT,
            topics.create_topic(&path.schema, name, &new.properties),
        )
        .await?
        .ok_or_else(|| OperationError::already_exists(ObjectKind::Topic, name))?;
        // Of an earlier topic of this name, or made by somebody who met this one a moment ago.
        if let Some(earlier) = write.child(schema.id, ObjectKind::Topic, name).await? {
            write.drop_object(earlier.object.id).await?;
        }
        let object = NewObject {
            comment: new.comment,
            ..NewObject::named(schema.id, ObjectKind::Topic, name)
        };
        let row = match write.create_object(&object).await {
            Err(error) if error.is_missing() => {
                return Err(OperationError::not_found(ObjectKind::Schema, &path.schema));
            }
            other => other?,
        };
        self.make_creator_own(&mut write, row.id, call).await?;
        write.commit().await?;
        Ok(topic(row, properties))
    }

    /// Loads a topic.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Unsupported`],
    /// [`OperationError::Unreachable`].
    pub async fn load_topic(
        &self,
        call: &Call,
        path: Authorized<TopicPath>,
    ) -> Result<Topic, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let schema = found.parent()?.object.id;
        let provider = self.provider_in(&found.metalake, found)?;
        let loaded = topics_of(provider.as_ref())?
            .load_topic(&path.schema, &path.name)
            .await?;
        let Some(properties) = loaded else {
            return Err(self.forget_topic(call, &path).await?);
        };
        let row = match found.row() {
            Ok(row) => row.object.clone(),
            Err(_) => self.meet_topic(call, schema, &path.name).await?,
        };
        Ok(topic(row, properties))
    }

    /// Alters a topic.
    ///
    /// # Errors
    /// [`OperationError::NotFound`], [`OperationError::Disabled`], [`OperationError::Invalid`] for what the catalog
    /// refuses, [`OperationError::Unsupported`], [`OperationError::Unreachable`].
    pub async fn alter_topic(
        &self,
        call: &Call,
        path: Authorized<TopicPath>,
        changes: Vec<TopicChange>,
    ) -> Result<Topic, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let schema = found.parent()?.object.id;
        let provider = self.provider_in(&found.metalake, found)?;
        let topics = topics_of(provider.as_ref())?;
        let (comment, settings) = planned(changes, &self.declared_of_topics(found)?)?;
        if in_time(MOST_PATIENCE, topics.load_topic(&path.schema, &path.name))
            .await?
            .is_none()
        {
            return Err(self.forget_topic(call, &path).await?);
        }
        let mut write = self
            .write_topic(call, found, schema, &path)
            .await?
            .ok_or_else(|| no_topic(&path))?;
        let altered = in_time(
            WHILE_OTHERS_WAIT,
            topics.alter_topic(&path.schema, &path.name, &settings),
        )
        .await?;
        let Some(properties) = altered else {
            drop(write);
            return Err(self.forget_topic(call, &path).await?);
        };
        let id = match found.row() {
            Ok(row) => row.object.id,
            Err(_) => {
                let met = NewObject::named(schema, ObjectKind::Topic, &path.name);
                write.create_object(&met).await?.id
            }
        };
        let change = ObjectChange {
            comment,
            ..ObjectChange::default()
        };
        let row = write.alter_object(id, &change).await?;
        write.commit().await?;
        Ok(topic(row, properties))
    }

    /// Drops a topic; `false` where there is none.
    ///
    /// # Errors
    /// [`OperationError::NotFound`] for the catalog, [`OperationError::Disabled`], [`OperationError::Unsupported`],
    /// [`OperationError::Unreachable`].
    pub async fn drop_topic(&self, call: &Call, path: Authorized<TopicPath>) -> Result<bool, OperationError> {
        let found = call.facts.found()?;
        found.of_kind(ObjectKind::Catalog)?;
        call.facts.require_in_use()?;
        let Ok(schema) = found.parent() else {
            return Ok(false);
        };
        let provider = self.provider_in(&found.metalake, found)?;
        let topics = topics_of(provider.as_ref())?;
        in_time(MOST_PATIENCE, topics.load_topic(&path.schema, &path.name)).await?;
        let Some(mut write) = self.write_topic(call, found, schema.object.id, &path).await? else {
            return Ok(false);
        };
        let dropped = in_time(WHILE_OTHERS_WAIT, topics.drop_topic(&path.schema, &path.name)).await?;
        if let Ok(row) = found.row() {
            write.drop_object(row.object.id).await?;
            write.commit().await?;
        }
        Ok(dropped)
    }

    /// Opens the write of a change that the system of a topic is asked for by name: while it is open, nobody drops the
    /// topic and makes another under its name. `None` where what the name means is no longer what the gate found.
    async fn write_topic(
        &self,
        call: &Call,
        found: &Found,
        schema: ObjectId,
        path: &TopicPath,
    ) -> Result<Option<Write>, OperationError> {
        let Some(mut write) = self.write_to_end(call, ENDING).await? else {
            return Ok(None);
        };
        // A topic that had no row and has one now may be another, which somebody made.
        let is_the_same = found.chain.is_found
            || write
                .child(schema, ObjectKind::Topic, &path.name)
                .await?
                .is_none();
        Ok(is_the_same.then_some(write))
    }

    /// Gives rows to topics, and to what is in federated catalogs, that a request names as objects and that exist in their
    /// system, so that what is granted binds to them. A system is asked only for what the caller could ask it for itself (the topic's schema is one that it may
    /// load, the catalog is in use), and at most a hundred times; any other name stays one that nothing is bound to.
    ///
    /// # Errors
    /// [`OperationError::Unreachable`] when a system does not answer: nobody can tell then what would be granted.
    pub(crate) async fn meet_named<'a>(
        &self,
        call: &Call,
        metalake: &str,
        objects: impl Iterator<Item = &'a MetadataObject>,
    ) -> Result<(), OperationError> {
        let mut asked = 0;
        let kept_elsewhere = [
            ObjectKind::Topic,
            ObjectKind::Schema,
            ObjectKind::Table,
            ObjectKind::View,
        ];
        for object in objects.filter(|object| kept_elsewhere.contains(&object.kind)) {
            if asked == MOST_MET {
                break;
            }
            let mut snapshot = self.store().snapshot().await?;
            let chain = snapshot.chain(metalake, object).await?;
            drop(snapshot);
            if object.kind != ObjectKind::Topic {
                let found = self.found(metalake, object.clone(), Arc::new(chain));
                asked += usize::from(self.meet_beside(call, &found).await?);
                continue;
            }
            let (Some(catalog), Some(schema), [_, schema_name, name]) = (
                chain.of_kind(ObjectKind::Catalog),
                chain.of_kind(ObjectKind::Schema),
                object.path.as_slice(),
            ) else {
                continue;
            };
            if chain.is_found || is_off(catalog) || !shows_schema(call, &chain) {
                continue;
            }
            let provider = self.provider_of(metalake, &catalog.object)?;
            let Some(topics) = provider.topics() else {
                continue;
            };
            asked += 1;
            if topics.load_topic(schema_name, name).await?.is_some() {
                self.meet_topic(call, schema.object.id, name).await?;
            }
        }
        Ok(())
    }

    /// The row of a topic that exists; a new one, without owner, where there is none.
    async fn meet_topic(
        &self,
        call: &Call,
        schema: ObjectId,
        name: &str,
    ) -> Result<ObjectRow, OperationError> {
        let mut write = self.write_on(call, &[Area::Objects]).await?;
        if let Some(row) = write.child(schema, ObjectKind::Topic, name).await? {
            return Ok(row.object);
        }
        let row = match write
            .create_object(&NewObject::named(schema, ObjectKind::Topic, name))
            .await
        {
            Err(error) if error.is_missing() => {
                return Err(OperationError::not_found(ObjectKind::Topic, name));
            }
            other => other?,
        };
        write.commit().await?;
        Ok(row)
    }

    /// Ends the row that the request met, where it met one, and gives the error for a topic that is not there.
    async fn forget_topic(&self, call: &Call, path: &TopicPath) -> Result<OperationError, OperationError> {
        if let Ok(row) = call.facts.row() {
            let mut write = self.write_on(call, ENDING).await?;
            match write.drop_object(row.object.id).await {
                Err(error) if error.is_missing() => {}
                other => {
                    other?;
                    write.commit().await?;
                }
            }
        }
        Ok(no_topic(path))
    }

    fn declared_of_topics(&self, found: &Found) -> Result<PropertyDeclarations, OperationError> {
        let catalog = &found.of_kind(ObjectKind::Catalog)?.object;
        Ok(self.factory_of(catalog)?.topic_properties())
    }
}

/// The face for topics of a live catalog.
///
/// # Errors
/// [`OperationError::Unsupported`] for a catalog without topics.
fn topics_of(provider: &dyn Provider) -> Result<&dyn TopicCatalog, OperationError> {
    provider
        .topics()
        .ok_or_else(|| OperationError::Unsupported("this catalog has no topics".to_owned()))
}

/// Waits for the system of topics, though not for long.
async fn in_time<T>(
    most: Duration,
    asked: impl Future<Output = Result<T, CatalogError>>,
) -> Result<T, OperationError> {
    match tokio::time::timeout(most, asked).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(OperationError::Unreachable {
            message: "the system of the topics did not answer in time; look whether it made the change"
                .to_owned(),
            detail: format!("no answer in {} seconds", most.as_secs()),
        }),
    }
}

/// The last comment, and the settings, if the declarations allow them.
#[expect(
    clippy::option_option,
    reason = "as `ObjectChange` has it: no change, or another comment, or none"
)]
fn planned(
    changes: Vec<TopicChange>,
    declared: &PropertyDeclarations,
) -> Result<(Option<Option<String>>, Vec<TopicSetting>), OperationError> {
    let mut comment = None;
    let mut settings = Vec::new();
    for change in changes {
        match change {
            TopicChange::UpdateComment(new) => comment = Some(new),
            TopicChange::SetProperty { property, value } => {
                declared.check_change(&property, Some(&value))?;
                settings.push(TopicSetting::Set { property, value });
            }
            TopicChange::RemoveProperty(property) => {
                declared.check_change(&property, None)?;
                settings.push(TopicSetting::Remove(property));
            }
        }
    }
    Ok((comment, settings))
}

/// Whether the caller may load the schema of a topic that is not known here.
fn shows_schema(call: &Call, topic: &ObjectChain) -> bool {
    let nodes = topic.rows.iter().map(ChainRow::node).collect();
    is_seen(&Chain::found(ObjectKind::Schema, nodes), call.facts.grants())
}

fn no_topic(path: &TopicPath) -> OperationError {
    OperationError::not_found(ObjectKind::Topic, &path.name)
}

fn topic(row: ObjectRow, properties: Properties) -> Topic {
    Topic {
        name: row.name,
        comment: row.comment,
        properties,
        audit: row.audit,
    }
}
