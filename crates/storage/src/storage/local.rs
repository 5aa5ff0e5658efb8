// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Files of this machine.
//!
//! A new file is written under a temporary name, synchronized, linked to its name (which fails when the name is
//! taken) and its folder is synchronized: a kill at any moment leaves the whole file or none.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use lakeward_catalog::error::CatalogError;
use rustix::io::Errno;
use uuid::Uuid;

use crate::location::Location;

pub(super) fn path(location: &Location) -> PathBuf {
    PathBuf::from(format!("/{}", location.key()))
}

pub(super) fn unavailable(location: &Location, error: &io::Error) -> CatalogError {
    CatalogError::Unavailable(format!("`{location}`: {error}"))
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CatalogError> + Send + 'static,
) -> Result<T, CatalogError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| CatalogError::Unavailable(format!("a storage task did not finish: {error}")))?
}

pub(super) async fn read(location: &Location, most: u64) -> Result<Bytes, CatalogError> {
    let location = location.clone();
    blocking(move || match read_small(&location, most) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(CatalogError::MetadataMissing(location.to_string()))
        }
        Err(error) => Err(unavailable(&location, &error)),
    })
    .await
}

pub(super) async fn create(location: &Location, content: Bytes) -> Result<(), CatalogError> {
    let location = location.clone();
    blocking(move || {
        let target = path(&location);
        let Some(folder) = target.parent() else {
            return Err(CatalogError::LocationRefused(format!(
                "`{location}` is the root of the file system"
            )));
        };
        create_folders(folder).map_err(|error| unavailable(&location, &error))?;
        let temporary = folder.join(format!(".{}.tmp", Uuid::new_v4().simple()));
        let written =
            write_synchronized(&temporary, &content).and_then(|()| fs::hard_link(&temporary, &target));
        // Whatever happened, the temporary name is of no use any more.
        let removed = fs::remove_file(&temporary);
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(CatalogError::FileExists(location.to_string()));
            }
            Err(error) => return Err(unavailable(&location, &error)),
        }
        removed
            .and_then(|()| synchronize_folder(folder))
            .map_err(|error| unavailable(&location, &error))
    })
    .await
}

pub(super) async fn delete(location: &Location) -> Result<(), CatalogError> {
    let location = location.clone();
    blocking(move || match fs::remove_file(path(&location)) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(unavailable(&location, &error)),
    })
    .await
}

pub(super) async fn test(warehouse: &Location) -> Result<(), CatalogError> {
    let warehouse = warehouse.clone();
    blocking(move || create_folders(&path(&warehouse)).map_err(|error| unavailable(&warehouse, &error))).await
}

/// The same place by its real name: links on the way are followed as far as the way exists. Two names of one place
/// would let a table be made where another is, and a warehouse around the server's own files.
///
/// # Errors
/// [`CatalogError::LocationRefused`] for a link that leads nowhere and a name that is no location,
/// [`CatalogError::Unavailable`].
pub(super) fn real(location: &Location) -> Result<Location, CatalogError> {
    let whole = path(location);
    let refuse = |reason: &str| {
        Err(CatalogError::LocationRefused(format!(
            "the location `{location}` is refused: {reason}"
        )))
    };
    for existing in whole.ancestors() {
        match fs::canonicalize(existing) {
            Ok(real) => {
                let real = match whole.strip_prefix(existing) {
                    Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                    Ok(_) | Err(_) => real,
                };
                return match real.to_str() {
                    // With its scheme: a colon in a name is none.
                    Some(text) => Location::parse(&format!("file://{text}")),
                    None => refuse("its real name is no text"),
                };
            }
            Err(error) if is_absent(&error) => {
                if fs::symlink_metadata(existing).is_ok() {
                    return refuse("a link on the way leads nowhere");
                }
            }
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                return refuse("a link on the way leads back to itself");
            }
            Err(error) => return Err(unavailable(location, &error)),
        }
    }
    Ok(location.clone())
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The outer error is that of the file, the inner one that of its size.
fn read_small(location: &Location, most: u64) -> io::Result<Result<Bytes, CatalogError>> {
    let file = File::open(path(location))?;
    if let Err(refused) = super::check_size(location, file.metadata()?.len(), most) {
        return Ok(Err(refused));
    }
    let mut content = Vec::new();
    // What is no regular file has no length.
    file.take(most).read_to_end(&mut content)?;
    Ok(Ok(Bytes::from(content)))
}

fn write_synchronized(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Creates missing folders, outermost first, each made durable in its parent.
fn create_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        create_folders(parent)?;
        match fs::create_dir(folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            Err(error) => return Err(error),
        }
        synchronize_folder(parent)?;
    }
    Ok(())
}

fn synchronize_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: &tempfile::TempDir, name: &str) -> Location {
        Location::parse(&format!("file://{}/{name}", folder.path().display())).unwrap()
    }

    #[tokio::test]
    async fn a_file_is_created_once_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let location = place(&folder, "a/b c/ü.json");
        create(&location, Bytes::from_static(b"one")).await.unwrap();
        assert_eq!(
            create(&location, Bytes::from_static(b"two")).await,
            Err(CatalogError::FileExists(location.to_string()))
        );
        assert_eq!(read(&location, 5000).await.unwrap(), Bytes::from_static(b"one"));
        let left: Vec<_> = fs::read_dir(folder.path().join("a/b c")).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary file stays");
        delete(&location).await.unwrap();
        delete(&location).await.unwrap();
        assert_eq!(
            read(&location, 5000).await,
            Err(CatalogError::MetadataMissing(location.to_string()))
        );
    }

    #[test]
    fn a_place_has_one_real_name() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(base.join("data")).unwrap();
        std::os::unix::fs::symlink(base.join("data"), base.join("link")).unwrap();
        std::os::unix::fs::symlink(base.join("gone"), base.join("nowhere")).unwrap();
        let named = |name: &str| Location::parse(&format!("file://{}/{name}", base.display())).unwrap();
        for (name, expected) in [
            ("data", "data"),
            ("link", "data"),
            ("link/a/b", "data/a/b"),
            ("new/a", "new/a"),
            ("new/a:b", "new/a:b"),
            ("data/a:b", "data/a:b"),
        ] {
            assert_eq!(real(&named(name)), Ok(named(expected)), "{name}");
        }
        let magic = Location::parse(&format!("/proc/self/root{}/data", base.display())).unwrap();
        assert_eq!(real(&magic), Ok(named("data")));
        std::os::unix::fs::symlink(base.join("loop"), base.join("loop")).unwrap();
        for name in ["nowhere/a", "loop", "loop/a"] {
            let refused = real(&named(name));
            assert!(matches!(refused, Err(CatalogError::LocationRefused(_))), "{name}");
        }
    }

    #[tokio::test]
    async fn of_many_creators_one_wins() {
        let folder = tempfile::tempdir().unwrap();
        let location = place(&folder, "metadata/00001.json");
        let tasks: Vec<_> = (0..16_u8)
            .map(|number| {
                let location = location.clone();
                tokio::spawn(async move { create(&location, Bytes::from(vec![number; 4096])).await })
            })
            .collect();
        let mut winners = 0;
        for task in tasks {
            winners += usize::from(task.await.unwrap().is_ok());
        }
        assert_eq!(winners, 1);
        let content = read(&location, 5000).await.unwrap();
        assert_eq!(content.len(), 4096);
        assert!(content.iter().all(|byte| Some(byte) == content.first()));
    }
}
