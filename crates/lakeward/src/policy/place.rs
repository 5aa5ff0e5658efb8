// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Which metalake of which server, and as whom.

use anyhow::{Context, bail};
use serde::Deserialize;
use url::Url;

use crate::client::{NativeClient, understood};
use crate::credentials::Login;

/// Which metalake of which server, and as whom.
#[derive(Debug, clap::Args)]
pub(crate) struct Place {
    /// The metalake; without it the only one that the server shows
    #[arg(long, value_name = "NAME")]
    pub(crate) metalake: Option<String>,
    /// Address of the native API
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8090")]
    pub(crate) server: Url,
    #[command(flatten)]
    pub(crate) login: Login,
}

impl Place {
    /// A client, and the name of the metalake.
    ///
    /// # Errors
    /// When nothing says who asks, or which metalake is meant.
    pub(crate) async fn client(&self) -> anyhow::Result<(NativeClient, String)> {
        let credentials = self
            .login
            .credentials(&self.server)
            .await?
            .context("say who you are: log in with `lakeward login`, give --user NAME or --token-file FILE, or set LAKEWARD_USER")?;
        let client = NativeClient::new(self.server.clone(), credentials)?;
        let metalake = metalake(&client, self.metalake.as_deref()).await?;
        Ok((client, metalake))
    }
}

#[derive(Deserialize)]
struct Metalakes {
    metalakes: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

/// The metalake that is meant: the stated one, or the only one.
///
/// # Errors
/// When there is none, or more than one.
pub(crate) async fn metalake(client: &NativeClient, stated: Option<&str>) -> anyhow::Result<String> {
    if let Some(stated) = stated {
        return Ok(stated.to_owned());
    }
    let Metalakes { metalakes } = understood(client.get(&["metalakes"]).await?)?;
    match metalakes.as_slice() {
        [only] => Ok(only.name.clone()),
        [] => bail!("the server shows no metalake to this user"),
        several => {
            let names: Vec<&str> = several.iter().map(|metalake| metalake.name.as_str()).collect();
            bail!("say which metalake with --metalake: {}", names.join(", "))
        }
    }
}
