// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Providers of the tests, for kinds of systems that this server cannot reach yet: a broker of topics in memory, and a
//! database that says only whether it answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use lakeward_catalog::error::CatalogError;
use lakeward_catalog::property::{PropertyDeclaration, PropertyDeclarations, PropertyKind};
use lakeward_catalog::provider::{CatalogContext, FixedSchema, Provider, ProviderFactory};
use lakeward_catalog::table_catalog::TableCatalog;
use lakeward_catalog::topic_catalog::{TopicCatalog, TopicSetting};
use lakeward_catalog::view_catalog::ViewCatalog;
use lakeward_metadata::Properties;

const fn text(name: &'static str) -> PropertyDeclaration {
    PropertyDeclaration::optional(name, PropertyKind::Text, "of the tests")
}

const PARTITIONS: &str = "partition-count";
const REPLICAS: &str = "replication-factor";

/// Topics in memory, with what the recorded broker refused. Also the provider of each catalog that leads to it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Broker {
    topics: Arc<Mutex<BTreeMap<String, Properties>>>,
}

impl Broker {
    /// Makes a topic without the server, as somebody does who speaks to the broker.
    pub(crate) fn make(&self, topic: &str) {
        self.topics
            .lock()
            .unwrap()
            .insert(topic.to_owned(), Properties::new());
    }

    /// Ends a topic without the server.
    pub(crate) fn end(&self, topic: &str) {
        self.topics.lock().unwrap().remove(topic);
    }
}

impl ProviderFactory for Broker {
    fn name(&self) -> &'static str {
        "kafka"
    }

    fn catalog_type(&self) -> &'static str {
        "messaging"
    }

    fn has_nested_schemas(&self) -> bool {
        false
    }

    fn catalog_properties(&self) -> PropertyDeclarations {
        const DECLARED: &[PropertyDeclaration] = &[text("bootstrap.servers").required()];
        PropertyDeclarations(DECLARED)
    }

    fn schema_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    fn table_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    fn topic_properties(&self) -> PropertyDeclarations {
        const DECLARED: &[PropertyDeclaration] = &[text(REPLICAS).immutable()];
        PropertyDeclarations(DECLARED)
    }

    fn fixed_schemas(&self) -> &'static [FixedSchema] {
        &[FixedSchema {
            name: "default",
            comment: "All topics of the broker",
        }]
    }

    fn connect(&self, _: &CatalogContext, _: &Properties) -> Result<Arc<dyn Provider>, CatalogError> {
        Ok(Arc::new(self.clone()))
    }
}

#[async_trait]
impl Provider for Broker {
    async fn test_connection(&self) -> Result<(), CatalogError> {
        Ok(())
    }

    fn tables(&self) -> Option<&dyn TableCatalog> {
        None
    }

    fn views(&self) -> Option<&dyn ViewCatalog> {
        None
    }

    fn topics(&self) -> Option<&dyn TopicCatalog> {
        Some(self)
    }
}

fn number(properties: &Properties, name: &str) -> i32 {
    properties.get(name).map_or(1, |value| value.parse().unwrap())
}

fn with_defaults(properties: &Properties) -> Properties {
    let mut shown = properties.clone();
    for name in [PARTITIONS, REPLICAS] {
        shown.entry(name.to_owned()).or_insert_with(|| "1".to_owned());
    }
    shown
}

/// A topic of which the broker answers what it is, and never that it has changed it.
pub(crate) const SILENT: &str = "silent";

async fn silent(topic: &str) {
    if topic.starts_with(SILENT) {
        std::future::pending::<()>().await;
    }
}

#[async_trait]
impl TopicCatalog for Broker {
    async fn list_topics(&self, _: &str) -> Result<Vec<String>, CatalogError> {
        Ok(self.topics.lock().unwrap().keys().cloned().collect())
    }

    async fn load_topic(&self, _: &str, topic: &str) -> Result<Option<Properties>, CatalogError> {
        Ok(self.topics.lock().unwrap().get(topic).map(with_defaults))
    }

    async fn create_topic(
        &self,
        _: &str,
        topic: &str,
        properties: &Properties,
    ) -> Result<Option<Properties>, CatalogError> {
        silent(topic).await;
        if number(properties, REPLICAS) > 1 {
            return Err(CatalogError::Invalid("there is one broker".to_owned()));
        }
        let mut topics = self.topics.lock().unwrap();
        if topics.contains_key(topic) {
            return Ok(None);
        }
        topics.insert(topic.to_owned(), properties.clone());
        Ok(Some(with_defaults(properties)))
    }

    async fn alter_topic(
        &self,
        _: &str,
        topic: &str,
        changes: &[TopicSetting],
    ) -> Result<Option<Properties>, CatalogError> {
        silent(topic).await;
        let mut topics = self.topics.lock().unwrap();
        let Some(current) = topics.get_mut(topic) else {
            return Ok(None);
        };
        let mut altered = current.clone();
        for change in changes {
            match change {
                TopicSetting::Set { property, value } => {
                    altered.insert(property.clone(), value.clone());
                }
                TopicSetting::Remove(property) => {
                    altered.remove(property);
                }
            }
        }
        if number(&altered, PARTITIONS) < number(current, PARTITIONS) {
            return Err(CatalogError::Invalid("partitions only become more".to_owned()));
        }
        *current = altered;
        Ok(Some(with_defaults(current)))
    }

    async fn drop_topic(&self, _: &str, topic: &str) -> Result<bool, CatalogError> {
        silent(topic).await;
        Ok(self.topics.lock().unwrap().remove(topic).is_some())
    }
}

/// A database whose password is `x`. It answers unless its address has a port where nobody listens.
#[derive(Debug)]
pub(crate) struct Database;

impl ProviderFactory for Database {
    fn name(&self) -> &'static str {
        "jdbc-postgresql"
    }

    fn catalog_type(&self) -> &'static str {
        "relational"
    }

    fn has_nested_schemas(&self) -> bool {
        false
    }

    fn catalog_properties(&self) -> PropertyDeclarations {
        const DECLARED: &[PropertyDeclaration] = &[
            text("jdbc-url").required(),
            text("jdbc-driver").required(),
            text("jdbc-database").required(),
            text("jdbc-user").required().hidden(),
            text("jdbc-password").required().hidden(),
        ];
        PropertyDeclarations(DECLARED)
    }

    fn schema_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    fn table_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    fn connect(
        &self,
        _: &CatalogContext,
        properties: &Properties,
    ) -> Result<Arc<dyn Provider>, CatalogError> {
        let answers = properties["jdbc-password"] == "x" && !properties["jdbc-url"].contains(":1/");
        Ok(Arc::new(Connection { answers }))
    }
}

#[derive(Debug)]
struct Connection {
    answers: bool,
}

#[async_trait]
impl Provider for Connection {
    async fn test_connection(&self) -> Result<(), CatalogError> {
        if self.answers {
            Ok(())
        } else {
            Err(CatalogError::Unavailable("nobody listens".to_owned()))
        }
    }

    fn tables(&self) -> Option<&dyn TableCatalog> {
        None
    }

    fn views(&self) -> Option<&dyn ViewCatalog> {
        None
    }
}

/// Catalogs of a kind that this build does not have yet: with schemas, and nothing in them.
#[derive(Debug, Clone)]
pub(crate) struct Empty(pub(crate) &'static str);

impl ProviderFactory for Empty {
    fn name(&self) -> &'static str {
        self.0
    }

    fn catalog_type(&self) -> &'static str {
        self.0
    }

    fn has_nested_schemas(&self) -> bool {
        false
    }

    fn catalog_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    fn schema_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    fn table_properties(&self) -> PropertyDeclarations {
        PropertyDeclarations(&[])
    }

    fn connect(&self, _: &CatalogContext, _: &Properties) -> Result<Arc<dyn Provider>, CatalogError> {
        Ok(Arc::new(Connection { answers: true }))
    }
}
