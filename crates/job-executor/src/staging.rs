// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! The folder of a job: `STAGING/JOB` is the server's and holds `output.log` and `error.log`; `STAGING/JOB/work` is the
//! job's, holds the files that it needs, and is where it runs.

use std::collections::HashSet;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use crate::as_user::{JobUser, can_read, command, own_uid};
use crate::error::ExecutorError;
use crate::program::{Program, Source};
use crate::settings::ExecutorSettings;
use crate::work::Work;

/// What the names of the folders begin with, as those of jobs do.
const PREFIX: &str = "job-";

/// A job whose folder is ready. Dropped before it was submitted, it takes the folder with it.
#[derive(Debug)]
pub struct Staged {
    pub(crate) task: Task,
    pub(crate) folder: Folder,
    pub(crate) output: File,
    pub(crate) error: File,
    // After the folder, which nobody else removes before.
    pub(crate) name: Named,
}

/// The names of the jobs whose folders are being made, wait or run: nobody else removes these.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(Arc<Mutex<HashSet<String>>>);

impl Names {
    /// Takes a name until what is given is dropped.
    fn take(&self, job: &str) -> Result<Named, ExecutorError> {
        if !self.all().insert(job.to_owned()) {
            return Err(ExecutorError::Failed(format!("`{job}` is not over")));
        }
        Ok(Named {
            names: self.clone(),
            job: job.to_owned(),
        })
    }

    fn contains(&self, job: &str) -> bool {
        self.all().contains(job)
    }

    fn all(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The name of a job that is not over.
#[derive(Debug)]
pub(crate) struct Named {
    names: Names,
    job: String,
}

impl Drop for Named {
    fn drop(&mut self) {
        self.names.all().remove(&self.job);
    }
}

/// What a job does.
#[derive(Debug)]
pub(crate) enum Task {
    /// Runs a program.
    Program(Program),
    /// Lets the server do something.
    Work(Work),
}

/// The folder of a job.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    is_kept: bool,
}

impl Folder {
    /// Where the job runs.
    pub(crate) fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// Leaves the folder to [`sweep`].
    pub(crate) fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Notes that the job is over now: from now on its folder becomes older.
    pub(crate) fn touch(&self) {
        let touched = File::open(&self.path).and_then(|folder| folder.set_modified(now()));
        if let Err(error) = touched {
            tracing::warn!(%error, folder = %self.path.display(), "the end of a job cannot be noted in its folder");
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            remove(&self.path);
        }
    }
}

/// Makes the folder of a job and fetches the files of its program, with the rights of the job.
pub(crate) async fn stage(
    settings: &ExecutorSettings,
    names: &Names,
    job: &str,
    task: Task,
) -> Result<Staged, ExecutorError> {
    if !is_name(job) {
        return Err(ExecutorError::Failed(format!("`{job}` is no name of a job")));
    }
    // Before there is a folder that may be taken for one of a job that is over.
    let name = names.take(job)?;
    let (settings, job) = (settings.clone(), job.to_owned());
    let user = settings.user.clone();
    let made = tokio::task::spawn_blocking(move || make(&settings, &job)).await;
    let (folder, output, error) =
        made.map_err(|error| ExecutorError::failed("the folder of a job was not made", error))??;
    if let Task::Program(program) = &task {
        for source in &program.files {
            fetch(source, &folder.work(), user.as_ref()).await?;
        }
    }
    Ok(Staged {
        task,
        folder,
        output,
        error,
        name,
    })
}

/// Whether a folder of a job can have the name: the prefix and digits.
fn is_name(job: &str) -> bool {
    job.strip_prefix(PREFIX)
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn make(settings: &ExecutorSettings, job: &str) -> Result<(Folder, File, File), ExecutorError> {
    let root = root(settings)?;
    if let Some(user) = &settings.user
        && !can_read(user, &root)?
    {
        return Err(ExecutorError::Failed(format!(
            "the user of jobs cannot enter the staging folder `{}` (`gravitino.job.stagingDir`); `chmod o+x` it",
            root.display()
        )));
    }
    let path = root.join(job);
    let failed =
        |error| ExecutorError::failed(format!("the folder `{}` cannot be made", path.display()), error);
    DirBuilder::new().mode(0o711).create(&path).map_err(failed)?;
    // Whatever the server's mask takes away: the folder is entered by the job, and listed by nobody else.
    std::fs::set_permissions(&path, Permissions::from_mode(0o711)).map_err(failed)?;
    let folder = Folder {
        path: path.clone(),
        is_kept: false,
    };
    let work = folder.work();
    DirBuilder::new().mode(0o700).create(&work).map_err(failed)?;
    if let Some(JobUser { uid, gid }) = &settings.user {
        // What lies there by now is what is given away, not what a link names.
        std::os::unix::fs::lchown(&work, Some(*uid), Some(*gid)).map_err(failed)?;
    }
    let log = |name: &str| {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path.join(name))
            .map_err(failed)
    };
    let (output, error) = (log("output.log")?, log("error.log")?);
    Ok((folder, output, error))
}

/// The staging folder, made when it is missing.
fn root(settings: &ExecutorSettings) -> Result<PathBuf, ExecutorError> {
    let given = &settings.staging_dir;
    DirBuilder::new()
        .recursive(true)
        .mode(0o711)
        .create(given)
        .map_err(|error| unusable(given, error))?;
    trusted(given)
}

/// The real name of the staging folder. Nobody but the server and the superuser may be able to put another in its place,
/// by a folder or by a link: whoever can, chooses what jobs run, and what is swept.
fn trusted(given: &Path) -> Result<PathBuf, ExecutorError> {
    let failed = |error| unusable(given, error);
    let root = given.canonicalize().map_err(failed)?;
    let own = own_uid()?;
    let named = std::path::absolute(given).map_err(failed)?;
    let ways = [named.as_path(), root.as_path()];
    for (level, folder) in ways.iter().flat_map(|way| way.ancestors().enumerate()) {
        let found = folder.symlink_metadata().map_err(failed)?;
        // The mode of a link says nothing; who may replace it, the folder says that it is in.
        let is_open = !found.is_symlink() && found.mode() & 0o022 != 0;
        // In a folder with the sticky bit only owners rename what is theirs.
        let is_sticky = level > 0 && found.mode() & 0o1000 != 0;
        if (found.uid() != own && found.uid() != 0) || (is_open && !is_sticky) {
            return Err(ExecutorError::Failed(format!(
                "the staging folder `{}` (`gravitino.job.stagingDir`) cannot be used: `{}` belongs to another user, or \
                 its group or everybody may write to it",
                given.display(),
                folder.display()
            )));
        }
    }
    Ok(root)
}

fn unusable(given: &Path, error: std::io::Error) -> ExecutorError {
    ExecutorError::failed(
        format!(
            "the staging folder `{}` (`gravitino.job.stagingDir`) cannot be used",
            given.display()
        ),
        error,
    )
}

/// Copies a file into the folder of a job with the rights of the job, so that nothing gets there that it could not read.
async fn fetch(source: &Source, work: &Path, user: Option<&JobUser>) -> Result<(), ExecutorError> {
    let mut copy = command(user, "/bin/sh");
    copy.arg("-c")
        .arg("test -f \"$0\" || { echo 'no such file, or not readable for jobs' >&2; exit 3; }; cp -- \"$0\" \"$1\" && chmod 700 -- \"$1\"")
        .arg(&source.path)
        .arg(&source.name)
        .current_dir(work)
        .stderr(Stdio::piped());
    let copied = tokio::process::Command::from(copy)
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| ExecutorError::failed("a shell cannot be run as the user of jobs", error))?;
    if copied.status.success() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&copied.stderr);
    let reason = reason.lines().next().unwrap_or("the copy failed");
    Err(ExecutorError::Refused(format!(
        "`{}` cannot be fetched: {reason}",
        source.path.display()
    )))
}

/// Removes the folders of jobs that nothing happened in for a while, but for those of `names`.
pub(crate) fn sweep(settings: &ExecutorSettings, age: Duration, names: &Names) {
    for (modified, folder) in over(settings, names) {
        if modified.elapsed().is_ok_and(|since| since >= age) {
            remove(&folder);
        }
    }
}

/// Removes the oldest folders of jobs that are over until the others, and what may still come of those that run, fit.
pub(crate) fn make_room(settings: &ExecutorSettings, names: &Names) {
    let most = settings
        .max_total_bytes
        .saturating_sub(settings.max_running_bytes());
    let mut newest_first = over(settings, names);
    newest_first.sort_by(|one, other| other.cmp(one));
    let mut total: u64 = 0;
    for (_, folder) in newest_first {
        total = total.saturating_add(bytes(&folder));
        if total > most {
            tracing::info!(folder = %folder.display(), "the output of an old job makes room for newer ones");
            remove(&folder);
        }
    }
}

/// The folders of jobs that are over, with the time when something last happened in them.
fn over(settings: &ExecutorSettings, names: &Names) -> Vec<(SystemTime, PathBuf)> {
    let given = &settings.staging_dir;
    if matches!(given.symlink_metadata(), Err(error) if error.kind() == ErrorKind::NotFound) {
        return Vec::new();
    }
    let entries = match trusted(given)
        .and_then(|root| std::fs::read_dir(root).map_err(|error| unusable(given, error)))
    {
        Ok(entries) => entries,
        Err(error) => {
            tracing::warn!(%error, "the staging folder is not swept");
            return Vec::new();
        }
    };
    let mut over = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(job) = name.to_str().filter(|name| is_name(name)) else {
            continue;
        };
        let modified = entry.metadata().and_then(|found| found.modified());
        if let Ok(modified) = modified
            && !names.contains(job)
        {
            over.push((modified, entry.path()));
        }
    }
    over
}

/// How large the files below a folder are together. Links are not followed, and what cannot be read is nothing.
fn bytes(folder: &Path) -> u64 {
    let mut total: u64 = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Ok(found) => total = total.saturating_add(found.len()),
                Err(_) => {}
            }
        }
    }
    total
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place of this crate that reads the time; folders are as old as the file system says"
)]
fn now() -> SystemTime {
    SystemTime::now()
}

fn remove(folder: &Path) {
    if let Err(error) = std::fs::remove_dir_all(folder) {
        tracing::warn!(%error, folder = %folder.display(), "the folder of a job cannot be removed");
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder(path: &Path, mode: u32) {
        std::fs::create_dir(path).unwrap();
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[tokio::test]
    async fn what_is_not_over_is_not_swept() {
        let scene = tempfile::tempdir().unwrap();
        let settings = ExecutorSettings {
            staging_dir: scene.path().join("staging"),
            ..ExecutorSettings::default()
        };
        let names = Names::default();
        let task = || Task::Work(Work::new(|_| async { Ok(()) }));
        let mut staged = stage(&settings, &names, "job-1", task()).await.unwrap();
        let path = staged.folder.path.clone();
        sweep(&settings, Duration::ZERO, &names);
        assert!(path.exists(), "it waits for its turn");
        assert!(stage(&settings, &names, "job-1", task()).await.is_err());
        sweep(&settings, Duration::ZERO, &names);
        assert!(path.exists());
        staged.folder.keep();
        drop(staged);
        assert!(path.exists());
        sweep(&settings, Duration::ZERO, &names);
        assert!(!path.exists(), "it is over");
    }

    #[test]
    fn only_folders_of_jobs_are_swept_and_only_where_nobody_else_writes() {
        let scene = tempfile::tempdir().unwrap();
        let staging = scene.path().join("staging");
        let settings = ExecutorSettings {
            staging_dir: staging.clone(),
            ..ExecutorSettings::default()
        };
        let sweep = || sweep(&settings, Duration::ZERO, &Names::default());
        sweep();
        assert!(!staging.exists(), "it is not made for that");
        folder(&staging, 0o711);
        for name in ["job-1", "job-x", "job-", "job-1.old", "other"] {
            folder(&staging.join(name), 0o711);
        }
        for mode in [0o731, 0o713, 0o1777] {
            std::fs::set_permissions(&staging, Permissions::from_mode(mode)).unwrap();
            sweep();
            assert!(staging.join("job-1").exists(), "{mode:o}");
            let refused = root(&settings).unwrap_err().to_string();
            assert!(refused.contains("everybody may write"), "{mode:o}: {refused}");
        }
        std::fs::set_permissions(&staging, Permissions::from_mode(0o711)).unwrap();
        sweep();
        assert!(!staging.join("job-1").exists());
        for name in ["job-x", "job-", "job-1.old", "other"] {
            assert!(staging.join(name).exists(), "{name}");
        }
    }

    #[test]
    fn the_oldest_go_when_all_are_too_large_together() {
        let scene = tempfile::tempdir().unwrap();
        let staging = scene.path().join("staging");
        folder(&staging, 0o711);
        let settings = ExecutorSettings {
            staging_dir: staging.clone(),
            max_running_jobs: 1,
            max_output_bytes: 50,
            max_total_bytes: 350,
            ..ExecutorSettings::default()
        };
        for (job, age) in [(1, 40), (2, 30), (3, 20), (4, 10)] {
            let path = staging.join(format!("job-{job}"));
            folder(&path, 0o711);
            folder(&path.join("work"), 0o700);
            std::fs::write(path.join("output.log"), [b'x'; 60]).unwrap();
            std::fs::write(path.join("work/made"), [b'x'; 40]).unwrap();
            let then = now() - Duration::from_secs(age);
            File::open(&path).unwrap().set_modified(then).unwrap();
        }
        // 250 bytes are left of 350 beside the two outputs of a job that runs.
        let names = Names::default();
        let _running = names.take("job-1").unwrap();
        make_room(&settings, &names);
        let left = |job: &str| staging.join(job).exists();
        assert!(left("job-1") && !left("job-2") && left("job-3") && left("job-4"));
        make_room(&settings, &Names::default());
        assert!(!left("job-1") && left("job-3") && left("job-4"));
    }

    /// Only the superuser makes links of others; nothing is shown where the tests run as somebody else.
    #[test]
    fn a_link_of_another_is_not_followed() {
        let scene = tempfile::tempdir().unwrap();
        let (real, link) = (scene.path().join("real"), scene.path().join("link"));
        folder(&real, 0o711);
        folder(&real.join("job-1"), 0o711);
        symlink(&real, &link).unwrap();
        assert_eq!(trusted(&link).unwrap(), real.canonicalize().unwrap());
        if own_uid().unwrap() != 0 {
            return;
        }
        std::os::unix::fs::lchown(&link, Some(65534), None).unwrap();
        assert!(trusted(&link).is_err());
        let settings = ExecutorSettings {
            staging_dir: link,
            ..ExecutorSettings::default()
        };
        sweep(&settings, Duration::ZERO, &Names::default());
        assert!(real.join("job-1").exists());
    }
}
