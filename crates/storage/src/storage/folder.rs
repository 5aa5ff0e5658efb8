// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Folders of this machine.
//!
//! A folder is opened level by level from the root, each level without following a link, so that whoever may write into a
//! folder cannot make the server look anywhere else: not by a link that was there before, nor by one that comes while
//! the server is on its way.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use lakeward_catalog::error::CatalogError;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, open, openat, statat};
use rustix::io::Errno;

use super::local::{blocking, is_absent, path, real, unavailable};
use crate::location::Location;

/// Something that lies in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the folder.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// How many bytes a file has; 0 for a folder.
    pub size: u64,
    /// When it was last changed, in epoch milliseconds; 0 where that is not known.
    pub last_modified: i64,
}

/// The refusal of a folder that holds more than an answer may.
pub(super) fn too_many(folder: &Location, most: usize) -> CatalogError {
    CatalogError::Invalid(format!(
        "more than {most} files and folders lie in `{folder}`; list a folder in it"
    ))
}

/// See [`super::Storage::make_folder`].
pub(super) async fn make(location: &Location) -> Result<Vec<Location>, CatalogError> {
    let location = location.clone();
    blocking(move || {
        refuse_links(&location)?;
        match fs::metadata(path(&location)) {
            Ok(found) if found.is_dir() => return Ok(Vec::new()),
            Ok(_) => return Err(in_the_way(&location)),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(in_the_way(&location)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unavailable(&location, &error)),
        }
        let missing: Vec<Location> = std::iter::successors(Some(location.clone()), Location::parent)
            .take_while(|place| fs::symlink_metadata(path(place)).is_err())
            .collect();
        // Level by level, so that what somebody else makes at the same time is not taken for made here.
        let mut made = Vec::with_capacity(missing.len());
        for place in missing.into_iter().rev() {
            match fs::create_dir(path(&place)) {
                Ok(()) => made.insert(0, place),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path(&place).is_dir() => {}
                Err(error) => {
                    for place in &made {
                        // Not empty: somebody uses it already.
                        let _ = fs::remove_dir(path(place));
                    }
                    let is_in_the_way = matches!(
                        error.kind(),
                        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists
                    );
                    return Err(if is_in_the_way {
                        in_the_way(&location)
                    } else {
                        unavailable(&location, &error)
                    });
                }
            }
        }
        // A link may have come on the way in between.
        refuse_links(&location)?;
        Ok(made)
    })
    .await
}

/// See [`super::Storage::remove_empty_folder`].
pub(super) async fn remove_empty(location: &Location) -> Result<(), CatalogError> {
    let location = location.clone();
    blocking(move || match fs::remove_dir(path(&location)) {
        Ok(()) => Ok(()),
        Err(error) if is_absent(&error) || error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        Err(error) => Err(unavailable(&location, &error)),
    })
    .await
}

/// See [`super::Storage::list_folder`].
pub(super) async fn list(location: &Location, most: usize) -> Result<Option<Vec<Entry>>, CatalogError> {
    let location = location.clone();
    blocking(move || {
        let failed = |errno: Errno| unavailable(&location, &errno.into());
        let folder = match open_folder(&location) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(None),
            // What is no folder is a file or a link; which of them, only the owner of the machine needs to know.
            Err(Errno::NOTDIR | Errno::LOOP) => {
                return Err(CatalogError::LocationRefused(format!(
                    "`{location}` is refused: a file or a link is on the way"
                )));
            }
            Err(errno) => return Err(failed(errno)),
        };
        let mut entries = Vec::new();
        let mut names = Dir::read_from(&folder).map_err(failed)?;
        while let Some(entry) = names.read() {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if matches!(name, "." | "..") {
                continue;
            }
            let found = match statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => found,
                // It went in between.
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(failed(errno)),
            };
            let file_type = FileType::from_raw_mode(found.st_mode);
            if !matches!(file_type, FileType::Directory | FileType::RegularFile) {
                continue;
            }
            if entries.len() == most {
                return Err(too_many(&location, most));
            }
            let is_folder = file_type == FileType::Directory;
            let size = if is_folder {
                0
            } else {
                u64::try_from(found.st_size).unwrap_or_default()
            };
            entries.push(Entry {
                name: name.to_owned(),
                is_folder,
                size,
                last_modified: milliseconds(&found),
            });
        }
        entries.sort_by(|one: &Entry, other: &Entry| one.name.cmp(&other.name));
        Ok(Some(entries))
    })
    .await
}

/// See [`super::Storage::remove_folder`].
pub(super) async fn remove(location: &Location) -> Result<(), CatalogError> {
    let location = location.clone();
    blocking(move || {
        match fs::symlink_metadata(path(&location)) {
            Err(error) if is_absent(&error) => return Ok(()),
            Ok(_) | Err(_) => {}
        }
        refuse_links(&location)?;
        // It does not follow links below.
        match fs::remove_dir_all(path(&location)) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(unavailable(&location, &error)),
        }
    })
    .await
}

/// Opens a folder level by level, no level of which is a link.
fn open_folder(location: &Location) -> Result<OwnedFd, Errno> {
    #[cfg(target_os = "linux")]
    const WAY: OFlags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    const WAY: OFlags = OFlags::RDONLY;
    let always = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    let Some((last, above)) = location.segments().split_last() else {
        return open("/", OFlags::RDONLY.union(always), Mode::empty());
    };
    let mut folder = open("/", WAY.union(always), Mode::empty())?;
    for segment in above {
        folder = openat(&folder, segment.as_str(), WAY.union(always), Mode::empty())?;
    }
    openat(
        &folder,
        last.as_str(),
        OFlags::RDONLY.union(always),
        Mode::empty(),
    )
}

/// Refuses a place whose real name is another.
fn refuse_links(location: &Location) -> Result<(), CatalogError> {
    let real = real(location)?;
    if real == *location {
        return Ok(());
    }
    Err(CatalogError::LocationRefused(format!(
        "the location `{location}` is refused: a link on the way leads to `{real}`; name the place itself"
    )))
}

fn in_the_way(location: &Location) -> CatalogError {
    CatalogError::Invalid(format!(
        "`{location}` cannot be a folder: a file is there, or on the way"
    ))
}

fn milliseconds(found: &Stat) -> i64 {
    let rest = i64::try_from(found.st_mtime_nsec / 1_000_000).unwrap_or_default();
    found.st_mtime.saturating_mul(1000).saturating_add(rest)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn place(folder: &tempfile::TempDir, name: &str) -> Location {
        let base = fs::canonicalize(folder.path()).unwrap();
        Location::parse(&base.display().to_string())
            .unwrap()
            .inside(name)
            .unwrap()
    }

    #[tokio::test]
    async fn folders_are_made_listed_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let inner = place(&folder, "a/b");
        assert_eq!(list(&inner, 10).await.unwrap(), None);
        assert_eq!(
            make(&inner).await.unwrap(),
            [place(&folder, "a/b"), place(&folder, "a")]
        );
        assert_eq!(make(&inner).await.unwrap(), []);
        fs::create_dir(path(&inner).join("dir")).unwrap();
        fs::write(path(&inner).join("file"), "hello").unwrap();
        let listed = list(&inner, 2).await.unwrap().unwrap();
        let told: Vec<_> = listed
            .iter()
            .map(|entry| (entry.name.as_str(), entry.is_folder, entry.size))
            .collect();
        assert_eq!(told, [("dir", true, 0), ("file", false, 5)]);
        assert!(listed.iter().all(|entry| entry.last_modified > 1_600_000_000_000));
        assert!(matches!(list(&inner, 1).await, Err(CatalogError::Invalid(_))));
        let file = inner.child("file").unwrap();
        assert!(matches!(make(&file).await, Err(CatalogError::Invalid(_))));
        assert!(matches!(
            make(&file.child("x").unwrap()).await,
            Err(CatalogError::Invalid(_))
        ));
        remove_empty(&inner).await.unwrap();
        assert!(list(&inner, 10).await.unwrap().is_some(), "it is not empty");
        remove(&inner).await.unwrap();
        remove(&inner).await.unwrap();
        remove_empty(&place(&folder, "a")).await.unwrap();
        assert_eq!(list(&place(&folder, "a"), 10).await.unwrap(), None);
    }

    #[tokio::test]
    async fn links_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        for name in ["outside", "inside"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        fs::write(base.join("outside/secret"), "s").unwrap();
        symlink(base.join("outside"), base.join("inside/link")).unwrap();
        symlink(base.join("outside/secret"), base.join("inside/file")).unwrap();
        symlink(base.join("gone"), base.join("inside/nowhere")).unwrap();
        let inside = place(&folder, "inside");
        assert_eq!(list(&inside, 10).await.unwrap(), Some(Vec::new()));
        for name in ["inside/link", "inside/link/x", "inside/file", "inside/nowhere"] {
            let found = list(&place(&folder, name), 10).await;
            assert!(
                matches!(found, Err(CatalogError::LocationRefused(_))),
                "{name}: {found:?}"
            );
        }
        for name in ["inside/link", "inside/link/new", "inside/nowhere/new"] {
            let made = make(&place(&folder, name)).await;
            assert!(
                matches!(made, Err(CatalogError::LocationRefused(_))),
                "{name}: {made:?}"
            );
        }
        let removed = remove(&place(&folder, "inside/link")).await;
        assert!(matches!(removed, Err(CatalogError::LocationRefused(_))));
        remove(&inside).await.unwrap();
        assert!(
            base.join("outside/secret").exists(),
            "a link is removed, not followed"
        );
    }
}
