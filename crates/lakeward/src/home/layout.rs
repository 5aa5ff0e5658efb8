// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What lies where in a home.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::Place;
use crate::private_file;

const SCRIPT: &str = include_str!("layout/gravitino.sh");
const CONF: &str = include_str!("layout/gravitino.conf");
/// What tells our script from the one of the original.
const OURS: &str = "lakeward\" home";
const CONF_FILE: &str = "gravitino.conf";

/// The folders of one server. Every path is absolute.
#[derive(Debug)]
pub(super) struct Home {
    /// The home itself, where relative paths of the configuration begin.
    pub(super) folder: PathBuf,
    /// Folder of the configuration.
    pub(super) conf_dir: PathBuf,
    /// Folder of what a server in the background writes.
    pub(super) log_dir: PathBuf,
}

impl Home {
    /// Makes the home at a place, which must have a configuration, the working directory.
    pub(super) fn enter(place: Place) -> anyhow::Result<Self> {
        let told = place.home.display();
        let folder = fs::canonicalize(&place.home).with_context(|| format!("`{told}` is no folder"))?;
        let conf_dir = match place.config {
            Some(given) => std::path::absolute(given)?,
            None => folder.join("conf"),
        };
        let log_dir = match place.log_dir {
            Some(given) => std::path::absolute(given)?,
            None => folder.join("logs"),
        };
        let home = Self {
            folder,
            conf_dir,
            log_dir,
        };
        let conf = home.conf();
        if !conf.is_file() {
            bail!(
                "`{}` is not there; `lakeward home init {told}` writes one",
                conf.display()
            );
        }
        std::env::set_current_dir(&home.folder).with_context(|| format!("`{told}` cannot be entered"))?;
        make_folder(&home.run_dir())?;
        Ok(home)
    }

    /// The configuration file.
    pub(super) fn conf(&self) -> PathBuf {
        self.conf_dir.join(CONF_FILE)
    }

    /// What a server in the background writes.
    pub(super) fn log(&self) -> PathBuf {
        self.log_dir.join("gravitino-server.out")
    }

    /// Where the store and warehouses lie unless the configuration says otherwise.
    pub(super) fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// The file that the running server holds locked.
    pub(super) fn lock(&self) -> PathBuf {
        self.run_dir().join("server.lock")
    }

    /// The socket by which the running server is found; see [`super::presence`].
    pub(super) fn socket(&self) -> PathBuf {
        self.run_dir().join("server.sock")
    }

    /// Not in `data`, which may be deleted under a running server.
    fn run_dir(&self) -> PathBuf {
        // From the working directory, since the address of a socket may have 100 bytes or so.
        PathBuf::from("run")
    }
}

/// Writes what a home needs. What is there stays, but for the script and the link, which are written anew.
pub(super) fn init(folder: &Path) -> anyhow::Result<()> {
    let bin = folder.join("bin");
    let conf = folder.join("conf").join(CONF_FILE);
    for made in [bin.as_path(), &folder.join("conf")] {
        make_folder(made)?;
    }
    write_script(&bin.join("gravitino.sh"))?;
    link_binary(&bin.join("lakeward"))?;
    if !conf.exists() {
        // It may get the password of a database.
        private_file::write(&conf, CONF)?;
    }
    let folder = fs::canonicalize(folder)?;
    println!(
        "laid out {0}; start its server with {0}/bin/gravitino.sh start",
        folder.display()
    );
    Ok(())
}

/// Makes a folder with those above it, unless it is there.
pub(super) fn make_folder(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path).with_context(|| format!("`{}` cannot be made", path.display()))
}

fn write_script(path: &Path) -> anyhow::Result<()> {
    let told = path.display();
    match fs::read_to_string(path) {
        Ok(there) if !there.contains(OURS) => {
            bail!(
                "`{told}` is there already, and is not a script of Lakeward; choose another folder, or move it away"
            )
        }
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("`{told}` cannot be read")),
    }
    fs::write(path, SCRIPT)
        .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("`{told}` cannot be written"))
}

/// The script runs the binary beside it: a link to the one that lays out the home, or a copy that somebody put there.
fn link_binary(path: &Path) -> anyhow::Result<()> {
    let told = path.display();
    let binary = std::env::current_exe().context("the path of this binary is not known")?;
    match path.symlink_metadata() {
        Ok(there) if !there.is_symlink() => return Ok(()),
        Ok(_) => fs::remove_file(path).with_context(|| format!("`{told}` cannot be replaced"))?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("`{told}` cannot be read")),
    }
    symlink(&binary, path).with_context(|| format!("`{told}` cannot be made"))
}
