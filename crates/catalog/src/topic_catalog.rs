// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The face of a catalog that has topics. The system behind it is asked each time: topics come and go there too.

use std::fmt;

use async_trait::async_trait;
use lakeward_metadata::Properties;

use crate::error::CatalogError;

/// One change of a topic's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicSetting {
    /// Sets a property.
    Set {
        /// The key.
        property: String,
        /// The value.
        value: String,
    },
    /// Removes a property; a missing one is no error.
    Remove(String),
}

/// Topics of a messaging system. Each method may take a request to that system.
///
/// Errors of all of them: [`CatalogError::Unavailable`] when the system does not answer, [`CatalogError::Invalid`] for
/// what it refuses.
#[async_trait]
pub trait TopicCatalog: Send + Sync + fmt::Debug {
    /// The names of the topics of a schema, in any order; none for a schema that the system does not have.
    async fn list_topics(&self, schema: &str) -> Result<Vec<String>, CatalogError>;

    /// The settings of a topic; `None` where there is none of this name.
    async fn load_topic(&self, schema: &str, topic: &str) -> Result<Option<Properties>, CatalogError>;

    /// Makes a topic and gives the settings that it got; `None` where one of this name exists, which is left as it is.
    async fn create_topic(
        &self,
        schema: &str,
        topic: &str,
        properties: &Properties,
    ) -> Result<Option<Properties>, CatalogError>;

    /// Changes the settings of a topic, all of them or none, and gives what they are then; `None` where there is no
    /// topic of this name.
    async fn alter_topic(
        &self,
        schema: &str,
        topic: &str,
        changes: &[TopicSetting],
    ) -> Result<Option<Properties>, CatalogError>;

    /// Drops a topic; `false` where there is none.
    async fn drop_topic(&self, schema: &str, topic: &str) -> Result<bool, CatalogError>;
}
