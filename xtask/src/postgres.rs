// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A throw-away PostgreSQL for tests: loopback only, a free port, an unprivileged user, no durability.

use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};

use crate::debian;

/// The role that owns the databases.
const ROLE: &str = "lakeward";
/// The operating system's user that runs the server when we are root, which PostgreSQL refuses to be.
const ACCOUNT: &str = "postgres";
/// How long it may take to accept connections.
const START: Duration = Duration::from_secs(60);

/// A running server. It ends, and its folder goes, when this is dropped.
#[derive(Debug)]
pub struct Postgres {
    child: Child,
    folder: PathBuf,
    url: String,
}

impl Postgres {
    /// Starts a server, from Debian's package; installs the package when the binaries are missing and we may.
    ///
    /// # Errors
    /// When there are no binaries and they cannot be installed, or the server does not start.
    pub fn start() -> anyhow::Result<Self> {
        let binaries = match find_binaries() {
            Some(binaries) => binaries,
            None => {
                debian::install("postgresql", "a PostgreSQL server (or set DATABASE_URL)")?;
                find_binaries().context("the package postgresql brought no server binaries")?
            }
        };
        let folder = std::env::temp_dir().join(format!("lakeward-postgres-{:016x}", rand::random::<u64>()));
        std::fs::create_dir(&folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
        let started = start_in(&binaries, &folder);
        if started.is_err() {
            remove(&folder);
        }
        started
    }

    /// The address of a database in which schemas can be created.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // SIGINT is PostgreSQL's fast shutdown; it waits for no client.
        let asked = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        let deadline = Instant::now() + Duration::from_secs(10);
        while asked.is_ok() && Instant::now() < deadline {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                remove(&self.folder);
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        if self.child.kill().is_err() || self.child.wait().is_err() {
            eprintln!(
                "xtask: the PostgreSQL with process id {} did not end",
                self.child.id()
            );
        }
        remove(&self.folder);
    }
}

fn remove(folder: &Path) {
    if let Err(error) = std::fs::remove_dir_all(folder) {
        eprintln!("xtask: cannot remove `{}`: {error}", folder.display());
    }
}

/// The newest installed version.
fn find_binaries() -> Option<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            let binaries = entry.path().join("bin");
            binaries.join("postgres").exists().then_some((version, binaries))
        })
        .collect();
    versions.sort();
    versions.pop().map(|(_, binaries)| binaries)
}

fn start_in(binaries: &Path, folder: &Path) -> anyhow::Result<Postgres> {
    let as_account = debian::is_root()?;
    if as_account {
        let (user, group) = (account("-u")?, account("-g")?);
        chown(folder, Some(user), Some(group)).context("cannot give the folder to the server's user")?;
    }
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    let program = |name: &str| -> Command {
        let mut command = if as_account {
            let mut command = Command::new("setpriv");
            // Ends with us, however we end.
            command
                .args([
                    "--reuid",
                    ACCOUNT,
                    "--regid",
                    ACCOUNT,
                    "--clear-groups",
                    "--pdeathsig",
                    "INT",
                ])
                .arg(binaries.join(name));
            command
        } else {
            Command::new(binaries.join(name))
        };
        command
            .current_dir("/")
            .env("HOME", folder)
            .env("LC_ALL", "C.UTF-8");
        command
    };
    let data = folder.join("data");
    let password = format!("{:016x}{:016x}", rand::random::<u64>(), rand::random::<u64>());
    let password_file = folder.join("password");
    std::fs::write(&password_file, &password)?;
    if as_account {
        chown(&password_file, Some(account("-u")?), Some(account("-g")?))?;
    }
    let made = program("initdb")
        .args([
            "--username",
            ROLE,
            "--auth",
            "scram-sha-256",
            "--encoding",
            "UTF8",
        ])
        .args(["--locale", "C.UTF-8", "--no-sync", "--pwfile"])
        .arg(&password_file)
        .arg("--pgdata")
        .arg(&data)
        .output()
        .context("cannot run `initdb`")?;
    ensure!(
        made.status.success(),
        "`initdb` failed: {}",
        String::from_utf8_lossy(&made.stderr).trim()
    );
    let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    let log = std::fs::File::create(folder.join("log"))?;
    let child = program("postgres")
        .arg("-D")
        .arg(&data)
        .args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"])
        // No socket: its path would have to stay under 107 bytes.
        .args(["-c", "unix_socket_directories="])
        // Nothing has to survive.
        .args([
            "-c",
            "fsync=off",
            "-c",
            "synchronous_commit=off",
            "-c",
            "full_page_writes=off",
        ])
        .args(["-c", "shared_buffers=64MB", "-c", "max_connections=400"])
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
        .context("cannot run `postgres`")?;
    let mut server = Postgres {
        child,
        folder: folder.to_path_buf(),
        url: format!("postgres://{ROLE}:{password}@127.0.0.1:{port}/postgres"),
    };
    let deadline = Instant::now() + START;
    loop {
        let ready = program("pg_isready")
            .args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()])
            .status()
            .context("cannot run `pg_isready`")?;
        if ready.success() {
            return Ok(server);
        }
        if server.child.try_wait()?.is_some() || Instant::now() > deadline {
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            bail!("PostgreSQL did not start:\n{log}");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn account(what: &str) -> anyhow::Result<u32> {
    debian::id(&[what, ACCOUNT]).with_context(|| format!("there is no user `{ACCOUNT}` to run the server"))
}
