// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Addresses of stores, and opening them: pragmas, pools, the lock of the embedded file.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx::AnyPool;
use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use tempfile::TempDir;

use crate::engine::Engine;
use crate::error::StoreError;

/// Where rows are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// A throw-away store for tests: the same engine and journal as the embedded store, in a private folder that goes
    /// with the store, and without waiting for the disk.
    Memory,
    /// The embedded store in this file; its folder is created when missing.
    Sqlite(PathBuf),
    /// A PostgreSQL database, as `postgres://user:password@host:port/database`. As with JDBC, `?currentSchema=NAME`
    /// keeps everything in that schema, which is created when it is missing.
    Postgres(String),
}

impl FromStr for StoreUrl {
    type Err = StoreError;

    /// `memory`, `sqlite:FILE`, `postgres://…`, `postgresql://…` and `jdbc:postgresql://…`.
    fn from_str(text: &str) -> Result<Self, StoreError> {
        if text == "memory" {
            return Ok(Self::Memory);
        }
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if !path.is_empty() {
                return Ok(Self::Sqlite(PathBuf::from(path)));
            }
        }
        let url = text.strip_prefix("jdbc:").unwrap_or(text);
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url.to_owned()));
        }
        Err(StoreError::Address {
            url: without_password(text),
            reason: "`sqlite:FILE` and `postgres://user:password@host:port/database` are accepted".to_owned(),
        })
    }
}

/// How a store is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Separates the levels of a nested schema in names (`gravitino.schema.separator`).
    pub schema_separator: String,
    /// The most connections that are open at once.
    pub max_connections: u32,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            schema_separator: ":".to_owned(),
            max_connections: 16,
        }
    }
}

/// What keeps an opened store alive beside its pool.
pub(crate) struct Connected {
    pub(crate) engine: Engine,
    pub(crate) pool: AnyPool,
    /// Held while the store is open; the operating system lets go of it when the process ends in any way.
    pub(crate) lock: Option<File>,
    pub(crate) folder: Option<TempDir>,
}

/// Opens the pool, and for the embedded store first takes its lock.
pub(crate) async fn connect(url: &StoreUrl, options: &StoreOptions) -> Result<Connected, StoreError> {
    sqlx::any::install_default_drivers();
    match url {
        StoreUrl::Memory => {
            let folder = TempDir::with_prefix("lakeward-store-").map_err(|source| StoreError::File {
                path: std::env::temp_dir().display().to_string(),
                source,
            })?;
            let file = folder.path().join("store.db");
            let pool = open(Engine::Sqlite, &sqlite_url(&file), options, false).await?;
            Ok(Connected {
                engine: Engine::Sqlite,
                pool,
                lock: None,
                folder: Some(folder),
            })
        }
        StoreUrl::Sqlite(path) => {
            let path = absolute(path)?;
            let lock = lock_file(&path)?;
            let pool = open(Engine::Sqlite, &sqlite_url(&path), options, true).await?;
            Ok(Connected {
                engine: Engine::Sqlite,
                pool,
                lock: Some(lock),
                folder: None,
            })
        }
        StoreUrl::Postgres(url) => {
            let (url, schema) = with_search_path(url)?;
            let pool = open(Engine::Postgres, &url, options, true).await?;
            if let Some(schema) = schema {
                Engine::Postgres.require_schema(&pool, &schema).await?;
            }
            Ok(Connected {
                engine: Engine::Postgres,
                pool,
                lock: None,
                folder: None,
            })
        }
    }
}

/// Turns `currentSchema=NAME` into what the driver understands, and gives the name.
fn with_search_path(url: &str) -> Result<(String, Option<String>), StoreError> {
    let Some((base, parameters)) = url.split_once('?') else {
        return Ok((url.to_owned(), None));
    };
    let (named, others): (Vec<&str>, Vec<&str>) = parameters
        .split('&')
        .partition(|parameter| parameter.starts_with("currentSchema="));
    let Some(schema) = named.first().and_then(|parameter| parameter.split_once('=')) else {
        return Ok((url.to_owned(), None));
    };
    let schema = schema.1;
    let is_plain = schema.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if schema.is_empty() || !is_plain {
        return Err(StoreError::Address {
            url: without_password(url),
            reason: "`currentSchema` must be made of letters, digits and `_`".to_owned(),
        });
    }
    let search_path = format!("options=-c%20search_path%3D%22{schema}%22");
    let parameters: Vec<&str> = others.into_iter().chain([search_path.as_str()]).collect();
    Ok((
        format!("{base}?{}", parameters.join("&")),
        Some(schema.to_owned()),
    ))
}

async fn open(
    engine: Engine,
    url: &str,
    options: &StoreOptions,
    is_durable: bool,
) -> Result<AnyPool, StoreError> {
    let connect_options = AnyConnectOptions::from_str(url).map_err(|error| StoreError::Address {
        url: without_password(url),
        reason: error.to_string(),
    })?;
    AnyPoolOptions::new()
        .max_connections(options.max_connections)
        .min_connections(1)
        .acquire_timeout(Duration::from_secs(10))
        .idle_timeout(None)
        .max_lifetime(None)
        // The check would cost a round trip per request; a dead connection shows at its first statement instead.
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            Box::pin(async move { engine.prepare(connection, is_durable).await })
        })
        .after_release(move |connection, _| Box::pin(async move { Ok(engine.is_settled(connection).await) }))
        .connect_with(connect_options)
        .await
        .map_err(|source| StoreError::from_driver("connect", source))
}

/// Creates the folder and gives the absolute path of the file.
fn absolute(path: &Path) -> Result<PathBuf, StoreError> {
    let failed = |source| StoreError::File {
        path: path.display().to_string(),
        source,
    };
    let path = std::path::absolute(path).map_err(failed)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    Ok(path)
}

/// One server process owns the file; a second one is told so instead of corrupting its caches.
fn lock_file(path: &Path) -> Result<File, StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let lock_path = PathBuf::from(name);
    let failed = |source| StoreError::File {
        path: lock_path.display().to_string(),
        source,
    };
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock_path)
        .map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
            path: path.display().to_string(),
        }),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

/// The driver's address of a file: every byte that has a meaning in an address is escaped.
fn sqlite_url(path: &Path) -> String {
    let mut url = "sqlite://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            url.push(char::from(*byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url.push_str("?mode=rwc");
    url
}

/// An address fit for messages.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}:…@{host}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{StoreUrl, sqlite_url, with_search_path, without_password};
    use std::path::{Path, PathBuf};

    #[test]
    fn addresses_are_told_apart() {
        for (text, expected) in [
            ("memory", StoreUrl::Memory),
            ("sqlite:a/b.db", StoreUrl::Sqlite(PathBuf::from("a/b.db"))),
            ("sqlite:///a/b.db", StoreUrl::Sqlite(PathBuf::from("/a/b.db"))),
            (
                "postgres://u:p@h/d",
                StoreUrl::Postgres("postgres://u:p@h/d".to_owned()),
            ),
            (
                "jdbc:postgresql://h:1/d",
                StoreUrl::Postgres("postgresql://h:1/d".to_owned()),
            ),
        ] {
            assert_eq!(text.parse::<StoreUrl>().unwrap(), expected);
        }
        let message = "mysql://root:secret@h/d"
            .parse::<StoreUrl>()
            .unwrap_err()
            .to_string();
        assert!(!message.contains("secret"), "{message}");
    }

    #[test]
    fn paths_and_passwords_are_escaped() {
        assert_eq!(
            sqlite_url(Path::new("/a b/ü?.db")),
            "sqlite:///a%20b/%C3%BC%3F.db?mode=rwc"
        );
        assert_eq!(without_password("postgres://u:p@h/d"), "postgres://u:…@h/d");
        assert_eq!(without_password("sqlite:x"), "sqlite:x");
    }

    #[test]
    fn a_schema_becomes_the_search_path() {
        for (url, expected, schema) in [
            ("postgres://h/d", "postgres://h/d", None),
            (
                "postgres://h/d?sslmode=require",
                "postgres://h/d?sslmode=require",
                None,
            ),
            (
                "postgres://h/d?currentSchema=a_1&sslmode=require",
                "postgres://h/d?sslmode=require&options=-c%20search_path%3D%22a_1%22",
                Some("a_1"),
            ),
        ] {
            let found = with_search_path(url).unwrap();
            assert_eq!(found, (expected.to_owned(), schema.map(str::to_owned)));
        }
        for url in [
            "postgres://h/d?currentSchema=",
            "postgres://h/d?currentSchema=a%22",
        ] {
            assert!(with_search_path(url).is_err());
        }
    }
}
