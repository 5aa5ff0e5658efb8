// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What all calls of a gateway share: the way to the server, the key of sessions, the settings. No users and no tables.

use std::sync::Arc;

use lakeward_reader::connection::Connector;
use lakeward_reader::session::resources::Resources;
use tokio::sync::watch;

use crate::audit::Audit;
use crate::running::Statements;
use crate::session_token::SessionKey;
use crate::settings::Settings;
use crate::start::StartError;

/// See the module.
#[derive(Debug)]
pub struct Gateway {
    pub(crate) settings: Settings,
    pub(crate) connector: Connector,
    pub(crate) sessions: SessionKey,
    pub(crate) resources: Resources,
    pub(crate) statements: Arc<Statements>,
    /// Becomes true when the time that running queries had to end is over.
    pub(crate) cancelled: watch::Sender<bool>,
}

impl Gateway {
    /// Prepares a gateway; nothing is sent or listened for yet.
    ///
    /// # Errors
    /// [`StartError`] for settings that cannot be used.
    pub fn new(settings: Settings) -> Result<Self, StartError> {
        let connector = match &settings.identity {
            Some(folder) => Connector::following(settings.server.clone(), folder, settings.server_timeout),
            None => Connector::new(settings.server.clone(), None, settings.server_timeout),
        }?;
        let sessions = match &settings.session_key {
            Some(file) => SessionKey::read(file)?,
            None => SessionKey::random()?,
        };
        let node = settings
            .node
            .clone()
            .unwrap_or_else(|| settings.listen.to_string());
        let audit = Audit::open(node, settings.audit.as_ref())?;
        let statements = Statements::new(&settings.budget, settings.limits.time, audit);
        Ok(Self {
            resources: settings.budget.resources()?,
            statements: Arc::new(statements),
            settings,
            connector,
            sessions,
            cancelled: watch::Sender::new(false),
        })
    }
}
