// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Jobs that really run. That processes are gone is seen by a pipe that each of them holds open: it ends with the last.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lakeward_metadata::Properties;
use lakeward_metadata::job_template::{JobTemplateContent, JobTemplateDefinition};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::as_user::own_uid;
use crate::{Event, ExecutorError, ExecutorSettings, JobUser, LocalExecutor, Outcome};

/// Nothing takes this long.
const LONG: Duration = Duration::from_secs(60);

struct Scene {
    folder: tempfile::TempDir,
    executor: LocalExecutor,
    events: UnboundedReceiver<Event>,
}

impl Scene {
    fn new(change: impl FnOnce(&mut ExecutorSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // So that another user may read what lies here.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut settings = ExecutorSettings {
            staging_dir: folder.path().join("staging"),
            max_running_jobs: 2,
            grace: Duration::from_millis(200),
            ..ExecutorSettings::default()
        };
        change(&mut settings);
        let (executor, events) = LocalExecutor::new(settings);
        Self {
            folder,
            executor,
            events,
        }
    }

    /// A script of a shell, as a template.
    fn script(&self, name: &str, text: &str) -> JobTemplateDefinition {
        let path = self.folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        definition(path.to_str().unwrap())
    }

    /// A pipe that a script can open as `$1` to be seen.
    fn pipe(&self) -> PathBuf {
        let path = self.folder.path().join("pipe");
        let status = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(status.success());
        path
    }

    async fn submit(&self, number: i64, template: &JobTemplateDefinition) {
        let program = self
            .executor
            .program(&template.resolve(&Properties::new()))
            .unwrap();
        let name = format!("job-{number}");
        let slot = self.executor.reserve().unwrap();
        let staged = self.executor.stage(&name, program).await.unwrap();
        self.executor.submit(slot, number, staged);
    }

    async fn refused(&self, template: &JobTemplateDefinition) -> String {
        let resolved = template.resolve(&Properties::new());
        let refused = match self.executor.program(&resolved) {
            Ok(program) => self.executor.stage("job-9", program).await.map(drop),
            Err(error) => Err(error),
        };
        match refused.unwrap_err() {
            ExecutorError::Refused(reason) => reason,
            other @ (ExecutorError::Full | ExecutorError::Failed(_)) => panic!("{other:?}"),
        }
    }

    async fn event(&mut self) -> Event {
        tokio::time::timeout(LONG, self.events.recv())
            .await
            .unwrap()
            .unwrap()
    }

    async fn ends(&mut self, number: i64, outcome: Outcome) {
        assert_eq!(self.event().await, Event::Started(number));
        assert_eq!(self.event().await, Event::Ended(number, outcome));
    }

    fn kept(&self, number: i64, file: &str) -> String {
        let path = self.folder.path().join(format!("staging/job-{number}/{file}"));
        std::fs::read_to_string(path).unwrap()
    }
}

fn definition(executable: &str) -> JobTemplateDefinition {
    JobTemplateDefinition {
        executable: executable.to_owned(),
        arguments: Vec::new(),
        environments: Properties::new(),
        custom_fields: Properties::new(),
        content: JobTemplateContent::Shell { scripts: Vec::new() },
    }
}

/// Reads the first line of a pipe; gives the rest, which ends with the last process that holds the other end.
async fn opened(pipe: &Path) -> BufReader<std::fs::File> {
    let pipe = pipe.to_owned();
    tokio::task::spawn_blocking(move || {
        let mut reader = BufReader::new(std::fs::File::open(pipe).unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        reader
    })
    .await
    .unwrap()
}

async fn closed(mut reader: BufReader<std::fs::File>) {
    let read = tokio::task::spawn_blocking(move || reader.read_to_string(&mut String::new()).unwrap());
    tokio::time::timeout(LONG, read).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arguments_and_environment_are_what_is_given_and_nothing_else() {
    let mut scene = Scene::new(|_| {});
    let mut template = scene.script(
        "args.sh",
        "for word in \"$@\"; do echo \"<$word>\"; done; /usr/bin/env; pwd >&2; cat more.txt",
    );
    let more = scene.folder.path().join("more.txt");
    std::fs::write(&more, "more\n").unwrap();
    template.content = JobTemplateContent::Shell {
        scripts: vec![format!("file://{}", more.display())],
    };
    let hostile = ["a b", "$(id)", "; rm -rf /", "`x`", "", "--help", "\n'\"\\", "*"];
    template.arguments = hostile.map(str::to_owned).to_vec();
    template.environments = Properties::from([("KEY".to_owned(), "$HOME; x".to_owned())]);
    scene.submit(1, &template).await;
    scene.ends(1, Outcome::Succeeded).await;
    let output = scene.kept(1, "output.log");
    let words: String = hostile.map(|word| format!("<{word}>\n")).concat();
    let environment = output.strip_prefix(&words).unwrap();
    for line in environment.lines() {
        // What a shell sets by itself.
        let is_of_shell = ["PWD=", "SHLVL=", "_=", "OLDPWD="]
            .iter()
            .any(|name| line.starts_with(name));
        assert!(is_of_shell || line == "KEY=$HOME; x" || line == "more", "{line}");
    }
    assert!(environment.contains("KEY=$HOME; x\n") && environment.ends_with("more\n"));
    assert_eq!(
        scene.kept(1, "error.log").trim(),
        scene
            .folder
            .path()
            .canonicalize()
            .unwrap()
            .join("staging/job-1/work")
            .to_str()
            .unwrap()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failure_is_one_and_says_why() {
    let mut scene = Scene::new(|_| {});
    let fails = scene.script("fails.sh", "echo no >&2; exit 3");
    scene.submit(1, &fails).await;
    scene.ends(1, Outcome::Failed).await;
    assert_eq!(scene.kept(1, "error.log"), "no\n");
    let nonsense = scene.folder.path().join("nonsense");
    std::fs::write(&nonsense, "#!/no/such/interpreter\n").unwrap();
    scene.submit(2, &definition(nonsense.to_str().unwrap())).await;
    assert_eq!(scene.event().await, Event::Ended(2, Outcome::Failed));
    assert!(scene.kept(2, "error.log").contains("cannot be run"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_job_ends_with_all_that_it_started() {
    let mut scene = Scene::new(|_| {});
    let pipe = scene.pipe();
    let mut template = scene.script(
        "tree.sh",
        "trap '' TERM; exec 3>\"$1\"; (trap '' TERM; (sleep 10000) & sleep 10000) & echo ready >&3; while :; do sleep 10000; done",
    );
    template.arguments = vec![pipe.to_str().unwrap().to_owned()];
    scene.submit(1, &template).await;
    let reader = opened(&pipe).await;
    assert!(scene.executor.cancel(1));
    closed(reader).await;
    scene.ends(1, Outcome::Cancelled).await;
    assert!(!scene.executor.cancel(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_job_leaves_behind_ends_with_it() {
    let mut scene = Scene::new(|_| {});
    let pipe = scene.pipe();
    let mut template = scene.script("leaves.sh", "exec 3>\"$1\"; sleep 10000 & echo ready >&3");
    template.arguments = vec![pipe.to_str().unwrap().to_owned()];
    scene.submit(1, &template).await;
    let reader = opened(&pipe).await;
    closed(reader).await;
    scene.ends(1, Outcome::Succeeded).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_group_ends_when_nobody_holds_the_watchdog() {
    let scene = Scene::new(|_| {});
    let pipe = scene.pipe();
    let script = scene.folder.path().join("s.sh");
    std::fs::write(
        &script,
        "trap '' TERM; exec 3>\"$0\"; echo ready >&3; sleep 10000 & wait",
    )
    .unwrap();
    let group = crate::process::ProcessGroup::start().unwrap();
    let words = [
        "/bin/sh",
        "-c",
        &std::fs::read_to_string(&script).unwrap(),
        pipe.to_str().unwrap(),
    ];
    let child = group
        .spawn(
            &words.map(str::to_owned),
            &Properties::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]),
            scene.folder.path(),
            None,
        )
        .unwrap();
    let reader = opened(&pipe).await;
    // As when the server is killed: its end of the pipe to the watchdog is closed, and nothing else happens.
    drop(group);
    closed(reader).await;
    drop(child);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_and_output_are_limited() {
    let mut scene = Scene::new(|settings| {
        settings.max_output_bytes = 1000;
    });
    let talks = scene.script(
        "talks.sh",
        "head -c 5000000 /dev/zero | tr '\\0' x; echo done >&2",
    );
    scene.submit(1, &talks).await;
    scene.ends(1, Outcome::Succeeded).await;
    let output = scene.kept(1, "output.log");
    assert!(output.starts_with(&"x".repeat(1000)) && !output.starts_with(&"x".repeat(1001)));
    assert!(output.contains("more than 1000 bytes") && output.len() < 1200);
    assert_eq!(scene.kept(1, "error.log"), "done\n");
    let mut scene = Scene::new(|settings| settings.max_run_time = Duration::from_millis(300));
    let sleeps = scene.script("sleeps.sh", "sleep 10000");
    scene.submit(1, &sleeps).await;
    scene.ends(1, Outcome::Failed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_many_run_and_so_many_wait() {
    let mut scene = Scene::new(|settings| {
        settings.max_running_jobs = 1;
        settings.waiting_queue_size = 1;
    });
    let sleeps = scene.script("sleeps.sh", "sleep 10000");
    scene.submit(1, &sleeps).await;
    assert_eq!(scene.event().await, Event::Started(1));
    scene.submit(2, &sleeps).await;
    assert_eq!(scene.executor.reserve().unwrap_err(), ExecutorError::Full);
    // One that waits ends without having begun; its place is free again.
    assert!(scene.executor.cancel(2));
    assert_eq!(scene.event().await, Event::Ended(2, Outcome::Cancelled));
    scene.executor.cancel(1);
    assert_eq!(scene.event().await, Event::Ended(1, Outcome::Cancelled));
    scene.submit(3, &sleeps).await;
    assert_eq!(scene.event().await, Event::Started(3));
    scene.executor.stop().await;
    assert_eq!(scene.event().await, Event::Ended(3, Outcome::Stopped));
    assert!(scene.executor.reserve().is_err());
    assert!(scene.executor.running().is_empty());
}

#[tokio::test]
async fn only_files_of_this_machine_are_fetched() {
    let scene = Scene::new(|_| {});
    let folder = scene.folder.path().to_str().unwrap().to_owned();
    for (executable, expected) in [
        ("http://example.org/x.sh", "only files of the server's machine"),
        ("s3://bucket/x.sh", "only files of the server's machine"),
        ("x.sh", "an absolute path"),
        ("", "an absolute path"),
        ("file://elsewhere/x.sh", "an absolute path"),
        ("file:///x.sh?y", "neither query nor fragment"),
        ("/a/..", "no name that a file can have"),
        ("/a\0b", "NUL"),
        ("file:///a%00b", "NUL"),
        ("/no/such/file", "no such file"),
        (&folder, "no such file"),
        ("/dev/null", "no such file"),
    ] {
        let reason = scene.refused(&definition(executable)).await;
        assert!(reason.contains(expected), "{executable:?}: {reason}");
    }
    let script = scene.script("a.sh", "true");
    let with = |change: &dyn Fn(&mut JobTemplateDefinition)| {
        let mut template = script.clone();
        change(&mut template);
        template
    };
    for (template, expected) in [
        (with(&|t| t.arguments.push("a\0".to_owned())), "NUL"),
        (
            with(&|t| drop(t.environments.insert("A=B".to_owned(), String::new()))),
            "`A=B` cannot be a variable",
        ),
        (
            with(&|t| drop(t.environments.insert(String::new(), String::new()))),
            "cannot be a variable",
        ),
        (
            with(&|t| {
                t.content = JobTemplateContent::Shell {
                    scripts: vec!["/other/a.sh".to_owned()],
                }
            }),
            "two files would be named `a.sh`",
        ),
        (
            with(&|t| {
                t.content = JobTemplateContent::Spark {
                    class_name: None,
                    jars: Vec::new(),
                    files: Vec::new(),
                    archives: Vec::new(),
                    configs: Properties::new(),
                }
            }),
            "`gravitino.jobExecutor.local.sparkHome` is not set",
        ),
    ] {
        let reason = scene.refused(&template).await;
        assert!(reason.contains(expected), "{reason}");
    }
    // Nothing of the refused is left.
    let staging = scene.folder.path().join("staging");
    assert!(std::fs::read_dir(staging).unwrap().next().is_none());
}

#[tokio::test]
async fn a_folder_is_made_where_nobody_else_can_put_one() {
    let scene = Scene::new(|_| {});
    let program = |scene: &Scene| {
        let template = scene.script("a.sh", "true");
        scene
            .executor
            .program(&template.resolve(&Properties::new()))
            .unwrap()
    };
    for name in ["../job-1", "job-../x", "job-", "x", "job-1/2", "/etc"] {
        let refused = scene.executor.stage(name, program(&scene)).await;
        assert!(matches!(refused, Err(ExecutorError::Failed(_))), "{name}");
    }
    // A folder that is there already is not taken.
    let staged = scene.executor.stage("job-1", program(&scene)).await.unwrap();
    assert!(scene.executor.stage("job-1", program(&scene)).await.is_err());
    let path = scene.folder.path().join("staging/job-1");
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o711);
    assert_eq!(path.join("work").metadata().unwrap().mode() & 0o777, 0o700);
    drop(staged);
    assert!(!path.exists());
    let open = scene.folder.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let other = Scene::new(|settings| settings.staging_dir = open.join("staging"));
    let refused = other.executor.stage("job-1", program(&other)).await;
    let Err(ExecutorError::Failed(reason)) = refused else {
        panic!("the folder can be replaced by everybody");
    };
    assert!(reason.contains("everybody may write"), "{reason}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folders_go_when_they_are_old() {
    let mut scene = Scene::new(|_| {});
    let sleeps = scene.script("sleeps.sh", "sleep 10000");
    let ends = scene.script("ends.sh", "true");
    scene.submit(1, &ends).await;
    scene.ends(1, Outcome::Succeeded).await;
    scene.submit(2, &sleeps).await;
    assert_eq!(scene.event().await, Event::Started(2));
    let staging = scene.folder.path().join("staging");
    std::fs::create_dir(staging.join("not-ours")).unwrap();
    scene.executor.sweep(LONG);
    assert!(staging.join("job-1").exists());
    scene.executor.sweep(Duration::ZERO);
    assert!(!staging.join("job-1").exists());
    assert!(staging.join("job-2").exists() && staging.join("not-ours").exists());
    scene.executor.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spark_is_called_with_words() {
    let mut scene = Scene::new(|_| {});
    let home = scene.folder.path().join("spark");
    std::fs::create_dir_all(home.join("bin")).unwrap();
    let submit = home.join("bin/spark-submit");
    std::fs::write(
        &submit,
        "#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done\n",
    )
    .unwrap();
    std::fs::set_permissions(&submit, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut scene_with = Scene::new(|settings| settings.spark_home = Some(home));
    std::mem::swap(&mut scene.executor, &mut scene_with.executor);
    std::mem::swap(&mut scene.events, &mut scene_with.events);
    std::mem::swap(&mut scene.folder, &mut scene_with.folder);
    for name in ["app.jar", "a.jar", "b.jar", "f.txt"] {
        std::fs::write(scene.folder.path().join(name), "x").unwrap();
    }
    let place = |name: &str| format!("{}/{name}", scene.folder.path().display());
    let template = JobTemplateDefinition {
        arguments: vec!["--conf".to_owned(), "x y".to_owned()],
        content: JobTemplateContent::Spark {
            class_name: Some("a.B".to_owned()),
            jars: vec![place("a.jar"), place("b.jar")],
            files: vec![place("f.txt")],
            archives: Vec::new(),
            configs: Properties::from([("spark.master".to_owned(), "local[1]".to_owned())]),
        },
        ..definition(&place("app.jar"))
    };
    scene.submit(1, &template).await;
    scene.ends(1, Outcome::Succeeded).await;
    let work = scene
        .folder
        .path()
        .canonicalize()
        .unwrap()
        .join("staging/job-1/work");
    let work = work.display();
    assert_eq!(
        scene.kept(1, "output.log"),
        format!(
            "--class\na.B\n--jars\n{work}/a.jar,{work}/b.jar\n--files\n{work}/f.txt\n--conf\nspark.master=local[1]\n\
             {work}/app.jar\n--conf\nx y\n"
        )
    );
}

/// Only the superuser may switch users; nothing is shown where the tests run as somebody else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_have_the_rights_of_their_user_only() {
    for text in ["root", "0:0", "1:0", "no such user", "-x"] {
        assert!(JobUser::find(text).is_err(), "{text}");
    }
    if own_uid().unwrap() != 0 {
        assert!(JobUser::find("65534:65534").is_err());
        return;
    }
    let user = JobUser::find("65534:65534").unwrap();
    let mut scene = Scene::new(|settings| settings.user = Some(user));
    let secret = scene.folder.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(!scene.executor.can_read(&secret).unwrap());
    assert!(scene.executor.can_read(scene.folder.path()).unwrap());
    assert!(
        !scene
            .executor
            .can_read(&scene.folder.path().join("nothing"))
            .unwrap()
    );
    // Neither fetched for it, nor read by it.
    let reason = scene.refused(&definition(secret.to_str().unwrap())).await;
    assert!(reason.contains("cannot be fetched"), "{reason}");
    let mut reads = scene.script(
        "reads.sh",
        "id -u; id -g; id -G; cat \"$1\"; touch made; ls -ln made >/dev/null",
    );
    reads.arguments = vec![secret.to_str().unwrap().to_owned()];
    scene.submit(1, &reads).await;
    scene.ends(1, Outcome::Succeeded).await;
    assert_eq!(scene.kept(1, "output.log"), "65534\n65534\n65534\n");
    assert!(scene.kept(1, "error.log").contains("ermission denied"));
    let sleeps = scene.script("sleeps.sh", "trap '' TERM; sleep 10000 & wait");
    scene.submit(2, &sleeps).await;
    assert_eq!(scene.event().await, Event::Started(2));
    scene.executor.cancel(2);
    assert_eq!(scene.event().await, Event::Ended(2, Outcome::Cancelled));
}
