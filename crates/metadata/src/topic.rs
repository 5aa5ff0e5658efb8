// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Topics of messaging systems. The system keeps the topic and its settings; what people say of it is kept here.

use crate::Properties;
use crate::audit::Audit;
use crate::name::Name;

/// A topic that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTopic {
    /// Its name in its schema.
    pub name: Name,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings.
    pub properties: Properties,
}

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Its name in its schema.
    pub name: String,
    /// What people should know of it.
    pub comment: Option<String>,
    /// Settings, those included that the system chose.
    pub properties: Properties,
    /// Who made and changed it, and when.
    pub audit: Audit,
}

/// One change of a topic; a request carries several, applied in order, all or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicChange {
    /// Replaces the comment; `None` removes it.
    UpdateComment(Option<String>),
    /// Sets one property.
    SetProperty {
        /// The key.
        property: String,
        /// The value.
        value: String,
    },
    /// Removes one property, so that the system's own choice holds again.
    RemoveProperty(String),
}
