// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Logins that are kept for later commands: one file in the user's configuration folder, which nobody else may read.

use std::fs::{DirBuilder, File};
use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};
use url::Url;

use super::provider::{Provider, Refused, Tokens, is_protected};

const FILE: &str = "logins.json";
/// A token is renewed so many seconds before its end: a request takes some time to arrive.
const EARLY: u64 = 30;

/// A login to a server.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct KeptLogin {
    /// Address of its native API.
    pub(crate) server: String,
    /// As whom the server knew the user.
    pub(crate) user: String,
    issuer: String,
    client_id: String,
    access_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// The end of the access token, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
}

#[derive(Default, Serialize, Deserialize)]
struct Logins {
    logins: Vec<KeptLogin>,
}

/// Where logins are kept.
#[derive(Debug)]
pub(crate) struct Keeping {
    folder: PathBuf,
}

impl KeptLogin {
    /// A login that has just been made.
    pub(super) fn new(server: &Url, user: &str, provider: &Provider, tokens: Tokens) -> Self {
        let mut login = Self {
            server: server.to_string(),
            user: user.to_owned(),
            issuer: provider.issuer().to_owned(),
            client_id: provider.client_id().to_owned(),
            access_token: String::new(),
            refresh_token: None,
            expires: None,
        };
        login.take(tokens);
        login
    }

    /// Takes new tokens; a provider that gives no new refresh token leaves the old one good (RFC 6749, section 6).
    fn take(&mut self, tokens: Tokens) {
        self.access_token = tokens.access;
        self.refresh_token = tokens.refresh.or(self.refresh_token.take());
        self.expires = tokens.lasts.map(|lasts| now().saturating_add(lasts));
    }

    fn is_over(&self) -> bool {
        self.expires
            .is_some_and(|expires| now().saturating_add(EARLY) >= expires)
    }

    /// Gets new tokens.
    async fn renew(&mut self) -> anyhow::Result<()> {
        let again = || {
            format!(
                "your login to {} has ended; log in again with `lakeward login --server {}`",
                self.server, self.server
            )
        };
        let Some(refresh) = self.refresh_token.clone() else {
            bail!(again());
        };
        let provider = Provider::discover(&self.issuer, &self.client_id).await?;
        let grant = [("grant_type", "refresh_token"), ("refresh_token", &refresh)];
        match provider.tokens(&grant).await {
            Ok(tokens) => self.take(tokens),
            // A provider that does not answer has not ended anything.
            Err(error) if error.is::<Refused>() => return Err(error).with_context(again),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Gives the login back to the provider, where it takes it.
    ///
    /// # Errors
    /// When it does not answer, or refuses.
    pub(crate) async fn revoke(&self) -> anyhow::Result<()> {
        if let Some(refresh) = &self.refresh_token {
            let provider = Provider::discover(&self.issuer, &self.client_id).await?;
            provider.revoke(refresh).await?;
        }
        Ok(())
    }

    fn is_to(&self, server: &Url) -> bool {
        Url::parse(&self.server).is_ok_and(|known| known.origin() == server.origin())
    }

    /// Whether its token may go to this address: the same server, or something else on the same host, such as its
    /// listener for readers or a gateway. 0 is the best.
    fn fits(&self, address: &Url) -> Option<u8> {
        if !is_protected(address) {
            return None;
        }
        let server = Url::parse(&self.server).ok()?;
        if server.origin() == address.origin() {
            return Some(0);
        }
        (server.host_str().is_some() && server.host_str() == address.host_str()).then_some(1)
    }
}

impl Keeping {
    /// Opens the folder, and makes it where it is not there.
    ///
    /// # Errors
    /// When nothing says where it is, or it cannot be made.
    pub(crate) fn open() -> anyhow::Result<Self> {
        let folder = folder().context("no folder is known to keep a login in: HOME is not set")?;
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&folder)
            .with_context(|| format!("`{}` cannot be made", folder.display()))?;
        Ok(Self { folder })
    }

    /// The same, where there is a login; `None` for everybody who never logged in.
    pub(crate) fn existing() -> Option<Self> {
        let folder = folder().filter(|folder| folder.join(FILE).exists())?;
        Some(Self { folder })
    }

    /// The token of the login that is for this address, renewed where it is over; `None` where there is no such login.
    ///
    /// # Errors
    /// When the login has ended, or what is kept cannot be read.
    pub(crate) async fn token(&self, address: &Url) -> anyhow::Result<Option<String>> {
        // Held over the renewal: many providers take a refresh token once only.
        let _lock = self.lock()?;
        let mut kept = self.read()?;
        let fitting = kept
            .logins
            .iter_mut()
            .filter_map(|login| Some((login.fits(address)?, login)));
        let Some((_, login)) = fitting.min_by_key(|(fit, _)| *fit) else {
            return Ok(None);
        };
        if login.is_over() {
            login.renew().await?;
            let token = login.access_token.clone();
            self.write(&kept)?;
            return Ok(Some(token));
        }
        Ok(Some(login.access_token.clone()))
    }

    /// Keeps a login in place of an earlier one to the same server.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(super) fn keep(&self, login: KeptLogin) -> anyhow::Result<()> {
        let _lock = self.lock()?;
        let mut kept = self.read()?;
        kept.logins
            .retain(|other| Url::parse(&login.server).is_ok_and(|server| !other.is_to(&server)));
        kept.logins.push(login);
        self.write(&kept)
    }

    /// Forgets the login to a server, or all. Those that were there.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub(crate) fn forget(&self, server: Option<&Url>) -> anyhow::Result<Vec<KeptLogin>> {
        let _lock = self.lock()?;
        let kept = self.read()?;
        let (forgotten, logins) = kept
            .logins
            .into_iter()
            .partition(|login| server.is_none_or(|server| login.is_to(server)));
        self.write(&Logins { logins })?;
        Ok(forgotten)
    }

    fn lock(&self) -> anyhow::Result<File> {
        let path = self.folder.join("logins.lock");
        let lock = File::options().create(true).append(true).open(&path);
        let lock = lock.with_context(|| format!("`{}` cannot be written", path.display()))?;
        lock.lock()
            .with_context(|| format!("`{}` cannot be locked", path.display()))?;
        Ok(lock)
    }

    fn read(&self) -> anyhow::Result<Logins> {
        let path = self.folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Logins::default()),
            Err(error) => {
                return Err(error).with_context(|| format!("`{}` cannot be read", path.display()));
            }
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if std::fs::metadata(&path)?.permissions().mode() & 0o077 != 0 {
                bail!(
                    "others may read `{}`, which holds tokens: remove it and log in again, or take their rights with chmod 600",
                    path.display()
                );
            }
        }
        serde_json::from_str(&text)
            .with_context(|| format!("`{}` is damaged; remove it and log in again", path.display()))
    }

    /// The file is there whole or not at all, and never readable for others.
    fn write(&self, kept: &Logins) -> anyhow::Result<()> {
        let path = self.folder.join(FILE);
        let written = || format!("`{}` cannot be written", path.display());
        if kept.logins.is_empty() {
            return match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(error).with_context(written)
                }
                Ok(()) | Err(_) => Ok(()),
            };
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder).with_context(written)?;
        file.write_all(&serde_json::to_vec_pretty(kept)?)
            .with_context(written)?;
        file.as_file().sync_all().with_context(written)?;
        file.persist(&path).with_context(written)?;
        Ok(())
    }
}

/// The folder of this command below the user's configuration.
fn folder() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("lakeward"))
}

#[expect(clippy::disallowed_methods, reason = "this is the one clock of logins")]
fn now() -> u64 {
    // A clock before 1970 makes every token look good, and the server judge it.
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests;
