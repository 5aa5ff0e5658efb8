// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Nothing is left of a dead process, and nothing else is touched.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn parent() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let parent = outer.path().join("spilled");
    (outer, parent)
}

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A folder as a process leaves it that could not clean up.
fn left_behind(parent: &Path, name: &str) -> PathBuf {
    let folder = parent.join(name);
    private().create(&folder).unwrap();
    private_file(&folder.join(LOCK)).unwrap();
    std::fs::create_dir(folder.join("query")).unwrap();
    std::fs::write(folder.join("query").join("values"), "secret").unwrap();
    folder
}

#[test]
fn a_folder_is_private_and_gone_in_the_end() {
    let (_outer, parent) = parent();
    let folder = SpillFolder::create(&parent).unwrap();
    let path = folder.path().to_owned();
    for private in [&parent, &path] {
        assert_eq!(private.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
    std::fs::write(path.join("values"), "secret").unwrap();
    drop(folder);
    assert_eq!(entries(&parent), [DOOR]);
}

#[test]
fn folders_of_the_dead_are_swept_and_those_of_the_living_stay() {
    let (_outer, parent) = parent();
    let living = SpillFolder::create(&parent).unwrap();
    let dead = left_behind(&parent, "process-1-dead");
    let unborn = parent.join("process-2-unborn");
    private().create(&unborn).unwrap();
    let other = parent.join("something-else");
    std::fs::create_dir(&other).unwrap();
    let second = SpillFolder::create(&parent).unwrap();
    assert!(living.path().exists() && second.path().exists() && other.exists());
    assert!(!dead.exists() && !unborn.exists());
}

#[test]
fn links_are_not_followed() {
    let (outer, parent) = parent();
    drop(SpillFolder::create(&parent).unwrap());
    let precious = outer.path().join("precious");
    std::fs::create_dir(&precious).unwrap();
    std::fs::write(precious.join("file"), "keep").unwrap();
    private_file(&precious.join(LOCK)).unwrap();
    symlink(&precious, parent.join("process-3-link")).unwrap();
    let dead = left_behind(&parent, "process-4-dead");
    symlink(&precious, dead.join("query").join("link")).unwrap();
    let locked_elsewhere = parent.join("process-5-lock");
    private().create(&locked_elsewhere).unwrap();
    symlink(precious.join("file"), locked_elsewhere.join(LOCK)).unwrap();
    drop(SpillFolder::create(&parent).unwrap());
    assert!(!dead.exists());
    assert_eq!(std::fs::read_to_string(precious.join("file")).unwrap(), "keep");
    assert!(sweep_when_closed(&parent.join("process-3-link"), io::empty()).is_err());
    assert!(precious.join("file").exists());

    let linked = outer.path().join("linked");
    symlink(&parent, &linked).unwrap();
    let error = SpillFolder::create(&linked).unwrap_err();
    assert!(matches!(error, SpillFolderError::NotAFolder(_)), "{error}");
}

#[test]
fn a_parent_that_others_reach_is_refused() {
    let (_outer, parent) = parent();
    std::fs::create_dir(&parent).unwrap();
    for mode in [0o750, 0o701, 0o777] {
        std::fs::set_permissions(&parent, PermissionsExt::from_mode(mode)).unwrap();
        let error = SpillFolder::create(&parent).unwrap_err();
        assert!(matches!(error, SpillFolderError::NotPrivate(_)), "{error}");
    }
}

#[test]
fn the_watchdog_removes_only_folders_of_processes() {
    let (_outer, parent) = parent();
    drop(SpillFolder::create(&parent).unwrap());
    let dead = left_behind(&parent, "process-6-dead");
    sweep_when_closed(&dead, io::empty()).unwrap();
    assert!(!dead.exists());
    // Its process had removed it already.
    sweep_when_closed(&dead, io::empty()).unwrap();
    assert!(sweep_when_closed(&parent, io::empty()).is_err());
    assert!(parent.exists());
}

/// A living process gave its pipe away: its folder stays until its lock is free.
#[test]
fn the_watchdog_waits_for_the_lock() {
    let (_outer, parent) = parent();
    let mut living = SpillFolder::create(&parent).unwrap();
    let path = living.path().to_owned();
    let watchdog = std::thread::spawn({
        let path = path.clone();
        move || sweep_when_closed(&path, io::empty())
    });
    assert!(path.join(LOCK).exists());
    // As the operating system does at the end of a process: the lock is given up, nothing is removed.
    let folder = std::mem::take(&mut living.path);
    drop(living);
    watchdog.join().unwrap().unwrap();
    assert!(!folder.exists());
}
