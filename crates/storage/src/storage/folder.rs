// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Folders of this machine.
//!
//! A folder is opened level by level from the root, each level without following a link, so that whoever may write into a
//! folder cannot make the server look anywhere else: not by a link that was there before, nor by one that comes while
//! the server is on its way. It is made and removed by its name in the folder that was opened so.

use std::ffi::CString;
use std::os::fd::{AsFd, OwnedFd};

use lakeward_catalog::error::CatalogError;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, mkdirat, open, openat, statat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

use super::local::{blocking, real, unavailable};
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
        let mut made = Vec::new();
        let outcome = make_levels(&location, &mut made);
        // Innermost first, as they are given and taken away again.
        made.reverse();
        match outcome {
            Ok(()) => Ok(made.into_iter().map(|level| level.location).collect()),
            Err(errno) => {
                for Made { above, location } in &made {
                    if let Some(name) = location.segments().last() {
                        // Not empty: somebody uses it already.
                        let _ = unlinkat(above, name.as_str(), AtFlags::REMOVEDIR);
                    }
                }
                Err(match errno {
                    Errno::NOTDIR => in_the_way(&location),
                    Errno::LOOP => link_on_the_way(&location),
                    errno => unavailable(&location, &errno.into()),
                })
            }
        }
    })
    .await
}

/// A folder that was made here, and the one that it was made in.
struct Made {
    above: OwnedFd,
    location: Location,
}

/// Makes what is missing, outermost first, and notes it.
fn make_levels(location: &Location, made: &mut Vec<Made>) -> Result<(), Errno> {
    let mut levels: Vec<Location> = std::iter::successors(Some(location.clone()), Location::parent).collect();
    let mut folder = way(&[])?;
    while let Some(level) = levels.pop() {
        let Some(name) = level.segments().last() else {
            continue;
        };
        let inner = match enter(&folder, name.as_str(), WAY) {
            Err(Errno::NOENT) => {
                let is_made = match mkdirat(&folder, name.as_str(), Mode::from_raw_mode(0o777)) {
                    Ok(()) => true,
                    // What somebody else makes at the same time is not taken for made here.
                    Err(Errno::EXIST) => false,
                    Err(errno) => return Err(errno),
                };
                let inner = enter(&folder, name.as_str(), WAY);
                if is_made {
                    made.push(Made {
                        above: folder,
                        location: level,
                    });
                }
                inner?
            }
            inner => inner?,
        };
        folder = inner;
    }
    Ok(())
}

/// See [`super::Storage::remove_empty_folder`].
pub(super) async fn remove_empty(location: &Location) -> Result<(), CatalogError> {
    let location = location.clone();
    blocking(move || {
        let Some((last, above)) = location.segments().split_last() else {
            return Ok(());
        };
        let removed = way(above).and_then(|above| unlinkat(above, last.as_str(), AtFlags::REMOVEDIR));
        match removed {
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(Errno::LOOP) => Err(link_on_the_way(&location)),
            Err(errno) => Err(unavailable(&location, &errno.into())),
        }
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
        let failed = |errno: Errno| match errno {
            Errno::LOOP => link_on_the_way(&location),
            errno => unavailable(&location, &errno.into()),
        };
        let Some((last, above)) = location.segments().split_last() else {
            return Err(failed(Errno::BUSY));
        };
        let above = match way(above) {
            Ok(above) => above,
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
            Err(errno) => return Err(failed(errno)),
        };
        match remove_tree(&above, last) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(failed(errno)),
        }
    })
    .await
}

/// Removes a folder in an opened one, with everything in it. However deep it is, only descriptors are used up.
fn remove_tree(above: &OwnedFd, name: &str) -> Result<(), Errno> {
    let name = CString::new(name).map_err(|_| Errno::INVAL)?;
    let folder = enter(above, name.as_c_str(), OFlags::RDONLY)?;
    let mut levels = vec![(Dir::new(folder)?, name)];
    while let Some((folder, _)) = levels.last_mut() {
        if let Some(entry) = folder.read() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let here = folder.fd()?;
            match enter(here, name, OFlags::RDONLY) {
                Ok(inner) => levels.push((Dir::new(inner)?, name.to_owned())),
                // A link too is removed by its name.
                Err(Errno::NOTDIR | Errno::LOOP) => gone(unlinkat(here, name, AtFlags::empty()))?,
                Err(errno) => gone(Err(errno))?,
            }
        } else if let Some((_, name)) = levels.pop() {
            let here = match levels.last() {
                Some((folder, _)) => folder.fd()?,
                None => above.as_fd(),
            };
            gone(unlinkat(here, name.as_c_str(), AtFlags::REMOVEDIR))?;
        }
    }
    Ok(())
}

/// What went in between need not be removed.
fn gone(removed: Result<(), Errno>) -> Result<(), Errno> {
    match removed {
        Err(Errno::NOENT) => Ok(()),
        removed => removed,
    }
}

/// How a folder is opened only to go on from it.
#[cfg(target_os = "linux")]
const WAY: OFlags = OFlags::PATH;
/// How a folder is opened only to go on from it.
#[cfg(not(target_os = "linux"))]
const WAY: OFlags = OFlags::RDONLY;

/// Opens a folder level by level, no level of which is a link, to list it.
fn open_folder(location: &Location) -> Result<OwnedFd, Errno> {
    match location.segments().split_last() {
        Some((last, above)) => enter(way(above)?, last.as_str(), OFlags::RDONLY),
        None => enter(way(&[])?, ".", OFlags::RDONLY),
    }
}

/// Opens a folder level by level from the root, no level of which is a link, to go on from it.
fn way(segments: &[String]) -> Result<OwnedFd, Errno> {
    let mut folder = open(
        "/",
        WAY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC),
        Mode::empty(),
    )?;
    for segment in segments {
        folder = enter(&folder, segment.as_str(), WAY)?;
    }
    Ok(folder)
}

/// Opens a folder in a folder: [`Errno::LOOP`] for a link, [`Errno::NOTDIR`] for what else is no folder.
fn enter(folder: impl AsFd, name: impl Arg + Copy, access: OFlags) -> Result<OwnedFd, Errno> {
    let flags = access
        .union(OFlags::DIRECTORY)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);
    let folder = folder.as_fd();
    match openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOTDIR) => {
            let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let is_link = FileType::from_raw_mode(found.st_mode) == FileType::Symlink;
            Err(if is_link { Errno::LOOP } else { Errno::NOTDIR })
        }
        opened => opened,
    }
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

/// The refusal of a link that is not followed. Where it leads, only the owner of the machine needs to know.
fn link_on_the_way(location: &Location) -> CatalogError {
    CatalogError::LocationRefused(format!(
        "the location `{location}` is refused: a link is on the way"
    ))
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
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::local::path;
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

    /// As when a link comes after the look for links: nothing is done beyond it.
    #[tokio::test]
    async fn links_that_come_late_lead_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(base.join("outside/inner")).unwrap();
        symlink(base.join("outside"), base.join("link")).unwrap();
        let inner = place(&folder, "link/inner");
        assert_eq!(way(inner.segments()).unwrap_err(), Errno::LOOP);
        let mut made = Vec::new();
        let late = place(&folder, "link/new");
        assert_eq!(make_levels(&late, &mut made).unwrap_err(), Errno::LOOP);
        assert!(made.is_empty());
        for refused in [remove(&inner).await, remove_empty(&inner).await] {
            assert!(
                matches!(refused, Err(CatalogError::LocationRefused(_))),
                "{refused:?}"
            );
        }
        let above = way(place(&folder, "a").parent().unwrap().segments()).unwrap();
        assert_eq!(remove_tree(&above, "link").unwrap_err(), Errno::LOOP);
        assert!(base.join("outside/inner").is_dir() && !base.join("outside/new").exists());
    }

    #[tokio::test]
    async fn trees_are_removed_with_all_kinds_of_things_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let tree = place(&folder, "tree");
        let deep = path(&tree).join("d/".repeat(200));
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("file"), "x").unwrap();
        for number in 0..300 {
            fs::write(path(&tree).join(format!("f{number}")), "x").unwrap();
        }
        symlink("nowhere", path(&tree).join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(path(&tree).join("socket")).unwrap();
        remove(&tree).await.unwrap();
        assert!(!path(&tree).exists());
        // A file is no folder, and one on the way leaves nothing to remove.
        fs::write(path(&tree), "x").unwrap();
        assert!(remove(&tree).await.is_err());
        remove(&tree.child("x").unwrap()).await.unwrap();
        assert!(path(&tree).exists());
    }
}
