// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a demonstration leaves behind, so that a second start finds it.

use std::path::{Path, PathBuf};

use anyhow::Context;
use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::private_file;

/// The folder of a demonstration: the server's data, the reader's certificate, and one file of ours.
pub(super) struct Home {
    folder: PathBuf,
    /// Removed at the end unless the user named it.
    temporary: Option<tempfile::TempDir>,
    state: State,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// Of all users; the server listens on this machine only.
    password: String,
    /// Full names of tables whose rows are committed.
    written: Vec<String>,
}

impl Home {
    /// Opens a folder, or makes one that goes away.
    pub(super) fn open(folder: Option<&Path>) -> anyhow::Result<Self> {
        let (folder, temporary) = match folder {
            Some(folder) => {
                std::fs::create_dir_all(folder)
                    .with_context(|| format!("the folder `{}` cannot be made", folder.display()))?;
                (folder.canonicalize()?, None)
            }
            None => {
                let temporary = tempfile::Builder::new().prefix("lakeward-demo-").tempdir()?;
                (temporary.path().to_owned(), Some(temporary))
            }
        };
        let path = folder.join("demo.json");
        let state = if path.exists() {
            let text = std::fs::read_to_string(&path)?;
            serde_json::from_str(&text).with_context(|| format!("`{}` is damaged", path.display()))?
        } else {
            State {
                password: random_password(),
                written: Vec::new(),
            }
        };
        let home = Self {
            folder,
            temporary,
            state,
        };
        home.save()?;
        Ok(home)
    }

    /// Where everything lies.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the reader's certificate lies.
    pub(super) fn reader(&self) -> PathBuf {
        self.folder.join("reader")
    }

    /// Whether the folder goes away at the end.
    pub(super) fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// The password of all users.
    pub(super) fn password(&self) -> &str {
        &self.state.password
    }

    /// Whether a table's rows are committed.
    pub(super) fn is_written(&self, table: &str) -> bool {
        self.state.written.iter().any(|known| known == table)
    }

    /// Remembers that a table's rows are committed.
    pub(super) fn remember_written(&mut self, table: String) -> anyhow::Result<()> {
        self.state.written.push(table);
        self.save()
    }

    fn save(&self) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(&self.state)?;
        private_file::write(&self.folder.join("demo.json"), &text)
    }
}

fn random_password() -> String {
    let bytes: [u8; 9] = rand::rng().random();
    format!("demo-{}", hex::encode(bytes))
}
