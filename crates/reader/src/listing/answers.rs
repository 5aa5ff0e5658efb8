// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The answers that lists are made of.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::ReaderError;

/// `GET /v1/config`
#[derive(Debug, Deserialize)]
pub(super) struct Configuration {
    #[serde(default)]
    defaults: HashMap<String, String>,
    #[serde(default)]
    overrides: HashMap<String, String>,
    #[serde(default)]
    endpoints: Option<Vec<String>>,
}

impl Configuration {
    /// A property, as a client without any of its own has it.
    pub(super) fn said(&self, property: &str) -> Option<&str> {
        let found = self
            .overrides
            .get(property)
            .or_else(|| self.defaults.get(property));
        found.map(String::as_str)
    }

    /// What separates levels of namespaces: the server says it as it stands in an address.
    pub(super) fn separator(&self, usual: &str) -> String {
        let Some(said) = self.said("namespace-separator") else {
            return usual.to_owned();
        };
        let pair = format!("s={}", said.replace('+', "%2B"));
        url::form_urlencoded::parse(pair.as_bytes())
            .next()
            .map(|(_, decoded)| decoded.into_owned())
            .filter(|decoded| !decoded.is_empty())
            .unwrap_or_else(|| usual.to_owned())
    }

    /// Whether the server has an endpoint. Servers from before they told so have views where they say that.
    pub(super) fn has(&self, endpoint: &str) -> bool {
        match &self.endpoints {
            Some(endpoints) => endpoints.iter().any(|known| known == endpoint),
            None => self.said("view-endpoints-supported") == Some("true"),
        }
    }
}

/// A page of a list.
pub(super) trait Listed: DeserializeOwned {
    /// What is listed, for messages.
    const WHAT: &'static str;
    /// One of them.
    type Item;

    /// The items, and the token of the next page.
    fn into_parts(self) -> (Vec<Self::Item>, Option<String>);
}

/// `GET …/namespaces`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct NamespacesPage {
    namespaces: Vec<Vec<String>>,
    #[serde(default)]
    next_page_token: Option<String>,
}

impl Listed for NamespacesPage {
    const WHAT: &'static str = "namespaces";
    type Item = Vec<String>;

    fn into_parts(self) -> (Vec<Vec<String>>, Option<String>) {
        (self.namespaces, self.next_page_token)
    }
}

/// `GET …/tables` and `GET …/views`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RelationsPage {
    identifiers: Vec<Identifier>,
    #[serde(default)]
    next_page_token: Option<String>,
}

/// A table or view.
#[derive(Debug, Deserialize)]
pub(super) struct Identifier {
    pub(super) namespace: Vec<String>,
    pub(super) name: String,
}

impl Listed for RelationsPage {
    const WHAT: &'static str = "tables or views in one namespace";
    type Item = Identifier;

    fn into_parts(self) -> (Vec<Identifier>, Option<String>) {
        (self.identifiers, self.next_page_token)
    }
}

/// Reads an answer about `place`.
pub(super) fn parse<T: DeserializeOwned>(place: &str, body: &str) -> Result<T, ReaderError> {
    serde_json::from_str(body).map_err(|cause| ReaderError::Answer {
        table: place.to_owned(),
        problem: cause.to_string(),
    })
}
