// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Who asks a server about somebody, and which server.

use anyhow::Context;
use url::Url;

use crate::client::NativeClient;
use crate::credentials::{Credentials, Secret};
use crate::policy::place;

/// Which metalake of which server, and who asks.
#[derive(Debug, clap::Args)]
pub(crate) struct Asker {
    /// The metalake; without it the only one that the server shows
    #[arg(long, value_name = "NAME")]
    metalake: Option<String>,
    /// Address of the native API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    server: Url,
    /// Who asks; without it the user that is asked about
    #[arg(long = "as", value_name = "NAME", env = "LAKEWARD_USER")]
    caller: Option<String>,
    #[command(flatten)]
    secret: Secret,
}

impl Asker {
    /// The credentials of who asks; `subject` is the user that is asked about. A login that is kept counts before that one,
    /// who proves nothing.
    ///
    /// # Errors
    /// When nothing says who that is.
    pub(crate) async fn credentials(&self, subject: Option<&str>) -> anyhow::Result<Credentials> {
        if self.caller.is_none()
            && !self.secret.is_given()
            && let Some(kept) = Credentials::kept(&self.server).await?
        {
            return Ok(kept);
        }
        self.secret
            .credentials(self.caller.as_deref().or(subject))?
            .context("say who asks: log in with `lakeward login`, give --as NAME or --token-file FILE, or set LAKEWARD_USER")
    }

    /// A client with these credentials, and the name of the metalake.
    ///
    /// # Errors
    /// When nothing says which metalake is meant.
    pub(crate) async fn client(&self, credentials: Credentials) -> anyhow::Result<(NativeClient, String)> {
        let client = NativeClient::new(self.server.clone(), credentials)?;
        let metalake = place::metalake(&client, self.metalake.as_deref()).await?;
        Ok((client, metalake))
    }
}
