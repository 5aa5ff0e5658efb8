// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Jobs that really run, as recorded from the original.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::scene::{FORBIDDEN, ILLEGAL, Place, Server, on_both_stores};

on_both_stores!(
    a_job_runs_to_its_end,
    jobs_are_listed_filtered_and_counted,
    a_running_job_is_cancelled_with_all_that_it_started,
    what_cannot_be_run_is_refused,
    who_may_run_see_and_cancel,
    no_more_jobs_than_may,
);

pub(crate) const TEMPLATES: &str = "/api/metalakes/m/jobs/templates";
pub(crate) const RUNS: &str = "/api/metalakes/m/jobs/runs";
const NO_TEMPLATE: (u16, i32, &str) = (404, 1003, "NoSuchJobTemplateException");
const NO_JOB: (u16, i32, &str) = (404, 1003, "NoSuchJobException");
/// Nothing takes this long.
const LONG: Duration = Duration::from_secs(60);

/// A server with a folder for its jobs and their scripts.
pub(crate) struct Scene {
    pub(crate) server: Server,
    pub(crate) folder: tempfile::TempDir,
}

impl Scene {
    pub(crate) async fn start(place: &Place) -> Self {
        Self::start_with(place, &[]).await
    }

    pub(crate) async fn start_with(place: &Place, more: &[(&str, &str)]) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        // So that jobs of another user can read the scripts.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let staging = folder.path().join("staging");
        let mut settings = vec![
            ("gravitino.authorization.enable", "true"),
            ("gravitino.authorization.serviceAdmins", "admin"),
            ("gravitino.job.stagingDir", staging.to_str().unwrap()),
            ("gravitino.job.statusPullIntervalInMs", "100"),
        ];
        settings.extend_from_slice(more);
        let server = Server::start_with(place, &settings).await;
        server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
        Self { server, folder }
    }

    /// Registers a shell script that is called with `{{a}}` and `{{b}}`.
    pub(crate) async fn script(&self, name: &str, text: &str) {
        let path = self.folder.path().join(format!("{name}.sh"));
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        let body = json!({"jobTemplate": {"name": name, "jobType": "shell", "comment": "c",
            "executable": format!("file://{}", path.display()), "arguments": ["{{a}}", "{{b}}"],
            "environments": {"ENV1": "{{a}}"}, "customFields": {"f": "g"}, "scripts": []}});
        self.server.done("POST", TEMPLATES, body).await;
    }

    /// Runs a template; gives the answer's job, which is queued.
    pub(crate) async fn run(&self, template: &str, parameters: Value) -> Value {
        let body = json!({"jobTemplateName": template, "jobConf": parameters});
        let job = self.server.done("POST", RUNS, body).await["job"].clone();
        assert_eq!(
            (&job["status"], &job["jobTemplateName"]),
            (&json!("queued"), &json!(template))
        );
        let members: Vec<&String> = job.as_object().unwrap().keys().collect();
        assert_eq!(
            members,
            ["jobId", "jobTemplateName", "status", "audit", "queuedAt"]
        );
        assert_eq!(
            job["audit"],
            json!({"creator": "admin", "createTime": job["queuedAt"]})
        );
        job
    }

    pub(crate) async fn load(&self, job: &Value) -> Value {
        let path = format!("{RUNS}/{}", id(job));
        self.server.done("GET", &path, None).await["job"].clone()
    }

    /// Waits until a job has a status.
    pub(crate) async fn becomes(&self, job: &Value, status: &str) -> Value {
        tokio::time::timeout(LONG, async {
            loop {
                let now = self.load(job).await;
                if now["status"] == status {
                    return now;
                }
                let is_final = ["failed", "succeeded", "cancelled"].map(|status| json!(status));
                assert!(!is_final.contains(&now["status"]), "{now} never becomes {status}");
            }
        })
        .await
        .unwrap()
    }

    pub(crate) fn kept(&self, job: &Value, file: &str) -> String {
        let path = self.folder.path().join("staging").join(id(job)).join(file);
        std::fs::read_to_string(path).unwrap()
    }

    /// A pipe that a script can open to be seen.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let status = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(status.success());
        path
    }
}

pub(crate) fn id(job: &Value) -> &str {
    job["jobId"].as_str().unwrap()
}

/// A script that says through the pipe `$1` that it runs, and ends for no signal that it can ignore.
pub(crate) const STUBBORN: &str = "trap '' TERM; exec 3>\"$1\"; (trap '' TERM; sleep 10000) & echo ready >&3; while :; do sleep 10000; done";

/// Waits for the first line of a pipe; what is left of it ends with the last process that holds it.
pub(crate) async fn opened(pipe: PathBuf) -> BufReader<std::fs::File> {
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

/// Waits until no process holds a pipe any more.
pub(crate) async fn closed(mut reader: BufReader<std::fs::File>) {
    let read = tokio::task::spawn_blocking(move || reader.read_to_string(&mut String::new()).unwrap());
    tokio::time::timeout(LONG, read).await.unwrap().unwrap();
}

async fn a_job_runs_to_its_end(place: Place) {
    let scene = Scene::start(&place).await;
    scene
        .script("ok", "echo \"<$1>\"; echo \"<$2>\"; echo \"$ENV1\" >&2")
        .await;
    scene.script("bad", "echo no >&2; exit 3").await;
    // Parameters are arguments, whatever is in them.
    let hostile = json!({"a": "$(touch /tmp/x); `id`", "b": "{{a}}\" ' \n*"});
    let job = scene.run("ok", hostile).await;
    let done = scene.becomes(&job, "succeeded").await;
    let members: Vec<&String> = done.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "jobId",
            "jobTemplateName",
            "status",
            "audit",
            "queuedAt",
            "startedAt",
            "finishedAt"
        ]
    );
    assert_eq!(done["audit"]["lastModifier"], "anonymous");
    assert_eq!(done["audit"]["lastModifiedTime"], done["finishedAt"]);
    assert!(done["queuedAt"].as_str() <= done["startedAt"].as_str());
    assert_eq!(
        scene.kept(&job, "output.log"),
        "<$(touch /tmp/x); `id`>\n<{{a}}\" ' \n*>\n"
    );
    assert_eq!(scene.kept(&job, "error.log"), "$(touch /tmp/x); `id`\n");
    // A placeholder without a parameter stays.
    let job = scene.run("ok", json!({})).await;
    scene.becomes(&job, "succeeded").await;
    assert_eq!(scene.kept(&job, "output.log"), "<{{a}}>\n<{{b}}>\n");
    let job = scene.run("bad", json!({})).await;
    scene.becomes(&job, "failed").await;
    assert_eq!(scene.kept(&job, "error.log"), "no\n");
    // Nothing that the server has open is open in a job.
    scene.script("open", "ls -l /proc/self/fd").await;
    let reads = scene.run("open", json!({})).await;
    scene.becomes(&reads, "succeeded").await;
    let open = scene.kept(&reads, "output.log");
    assert!(
        open.contains("/dev/null") && !open.contains("socket:") && !open.contains("lakeward.db"),
        "{open}"
    );
    let owner = format!("/api/metalakes/m/owners/job/{}", id(&job));
    let owner = scene.server.done("GET", &owner, None).await;
    assert_eq!(owner["owner"], json!({"name": "admin", "type": "user"}));
}

async fn jobs_are_listed_filtered_and_counted(place: Place) {
    let scene = Scene::start(&place).await;
    scene.script("ok", "exit 0").await;
    scene.script("bad", "exit 1").await;
    let server = &scene.server;
    let empty = json!({"code": 0, "jobs": [], "statusCounts": {"queued": 0, "started": 0, "failed": 0, "succeeded": 0,
        "cancelling": 0, "cancelled": 0}});
    assert_eq!(server.done("GET", RUNS, None).await, empty);
    let first = scene.run("ok", json!({})).await;
    let first = scene.becomes(&first, "succeeded").await;
    let second = scene.run("bad", json!({})).await;
    let second = scene.becomes(&second, "failed").await;
    let list = async |query: &str| {
        let answer = server.done("GET", &format!("{RUNS}{query}"), None).await;
        let jobs = answer["jobs"].as_array().unwrap().clone();
        (jobs, answer["statusCounts"].clone())
    };
    let (jobs, counts) = list("").await;
    assert_eq!(jobs, [second.clone(), first.clone()]);
    assert_eq!(
        counts,
        json!({"queued": 0, "started": 0, "failed": 1, "succeeded": 1, "cancelling": 0, "cancelled": 0})
    );
    let (jobs, counts) = list("?jobTemplateName=ok").await;
    assert_eq!(
        (jobs, &counts["succeeded"], &counts["failed"]),
        (vec![first.clone()], &json!(1), &json!(0))
    );
    for query in [
        "?sortBy=queuedAt&sortOrder=asc",
        "?sortBy=finishedAt&sortOrder=ASC&queuedAfter=",
        "?finishedAfter=2026-01-01T00:00:00Z&sortBy=startedAt&sortOrder=asc",
    ] {
        assert_eq!(list(query).await.0, [first.clone(), second.clone()], "{query}");
    }
    let bound = second["finishedAt"].as_str().unwrap();
    assert_eq!(
        list(&format!("?finishedAfter={bound}")).await.0,
        std::slice::from_ref(&second)
    );
    assert!(list("?queuedAfter=2999-01-01T00:00:00Z").await.0.is_empty());
    for query in [
        "?sortBy=zz",
        "?sortOrder=zz",
        "?queuedAfter=yesterday",
        "?startedAfter=1",
    ] {
        let path = format!("{RUNS}{query}");
        server.refused(("admin", "GET", &path), None, ILLEGAL).await;
    }
    let path = format!("{RUNS}?jobTemplateName=zz");
    server.refused(("admin", "GET", &path), None, NO_TEMPLATE).await;
    // A template takes its name along, and leaves it behind.
    let bad = format!("{TEMPLATES}/bad");
    let rename = json!({"updates": [{"@type": "rename", "newName": "worse"}]});
    server.done("PUT", &bad, rename).await;
    assert_eq!(list("?jobTemplateName=worse").await.0.len(), 1);
    let worse = format!("{TEMPLATES}/worse");
    assert_eq!(server.done("DELETE", &worse, None).await["dropped"], true);
    assert_eq!(scene.load(&second).await["jobTemplateName"], "worse");
    assert_eq!(list("").await.0.len(), 2);
}

async fn a_running_job_is_cancelled_with_all_that_it_started(place: Place) {
    let scene = Scene::start(&place).await;
    let server = &scene.server;
    scene.script("slow", STUBBORN).await;
    scene.script("ok", "exit 0").await;
    let pipe = scene.pipe("pipe");
    let job = scene.run("slow", json!({"a": pipe.to_str().unwrap()})).await;
    let processes = opened(pipe).await;
    let started = scene.becomes(&job, "started").await;
    assert!(started["startedAt"].is_string() && started["finishedAt"].is_null());
    let template = format!("{TEMPLATES}/slow");
    let in_use = (409, 1010, "InUseException");
    server.refused(("admin", "DELETE", &template), None, in_use).await;
    let path = format!("{RUNS}/{}", id(&job));
    let cancelling = server.done("POST", &path, None).await;
    assert_eq!(cancelling["job"]["status"], "cancelling");
    assert_eq!(cancelling["job"]["audit"]["lastModifier"], "admin");
    closed(processes).await;
    let over = scene.becomes(&job, "cancelled").await;
    assert_eq!(over["startedAt"], started["startedAt"]);
    // Nothing is left to cancel.
    assert_eq!(server.done("POST", &path, None).await["job"], over);
    assert_eq!(server.done("DELETE", &template, None).await["dropped"], true);
    let done = scene.run("ok", json!({})).await;
    let done = scene.becomes(&done, "succeeded").await;
    let path = format!("{RUNS}/{}", id(&done));
    assert_eq!(server.done("POST", &path, None).await["job"], done);
    for method in ["GET", "POST"] {
        let missing = format!("{RUNS}/job-999");
        server.refused(("admin", method, &missing), None, NO_JOB).await;
    }
}

async fn what_cannot_be_run_is_refused(place: Place) {
    let scene = Scene::start(&place).await;
    let server = &scene.server;
    scene.script("ok", "exit 0").await;
    let template = |name: &str, more: Value| {
        let mut template = json!({"name": name, "jobType": "shell", "executable": "{{x}}"});
        for (member, value) in more.as_object().unwrap() {
            template[member] = value.clone();
        }
        json!({"jobTemplate": template})
    };
    for body in [
        template("any", json!({})),
        template(
            "env",
            json!({"executable": "/bin/true", "environments": {"{{x}}": "y"}}),
        ),
        template("sp", json!({"jobType": "spark", "executable": "/x.jar"})),
    ] {
        server.done("POST", TEMPLATES, body).await;
    }
    for (body, part) in [
        (json!({"jobConf": {}}), "jobTemplateName"),
        (json!({"jobTemplateName": " "}), "jobTemplateName"),
        (json!({"jobTemplateName": "ok", "jobConf": {"a": 1}}), "jobConf"),
        (json!({"jobTemplateName": "ok", "args": []}), "args"),
        (json!({"jobTemplateName": "any"}), "`{{x}}` cannot be fetched"),
        (
            json!({"jobTemplateName": "any", "jobConf": {"x": "http://h/x.sh"}}),
            "only files of the server's machine",
        ),
        (
            json!({"jobTemplateName": "any", "jobConf": {"x": "/no/such/file"}}),
            "no such file",
        ),
        (
            json!({"jobTemplateName": "any", "jobConf": {"x": "/etc/../.."}}),
            "no name that a file can have",
        ),
        (
            json!({"jobTemplateName": "any", "jobConf": {"x": "/bin/true\u{0}"}}),
            "U+0000",
        ),
        (
            json!({"jobTemplateName": "env", "jobConf": {"x": "A=B"}}),
            "cannot be a variable",
        ),
        (json!({"jobTemplateName": "sp"}), "sparkHome"),
    ] {
        let (status, answer) = server.call("admin", "POST", RUNS, Some(body.clone())).await;
        assert_eq!((status, &answer["code"]), (400, &json!(1001)), "{body}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(part), "{body}: {message}");
    }
    let missing = json!({"jobTemplateName": "zz"});
    server
        .refused(("admin", "POST", RUNS), missing, NO_TEMPLATE)
        .await;
    assert_eq!(server.done("GET", RUNS, None).await["jobs"], json!([]));
    let staging = scene.folder.path().join("staging");
    assert!(std::fs::read_dir(staging).unwrap().next().is_none());
}

async fn who_may_run_see_and_cancel(place: Place) {
    let scene = Scene::start(&place).await;
    let server = &scene.server;
    scene.script("ok", "exit 0").await;
    scene.script("slow", "sleep 10000").await;
    for user in ["ann", "bob", "cy"] {
        server
            .done("POST", "/api/metalakes/m/users", json!({"name": user}))
            .await;
    }
    let grant =
        async |role: &str, user: &str, (kind, name): (&str, &str), privilege: &str, condition: &str| {
            let body = json!({"name": role, "securableObjects": [{"type": kind, "fullName": name,
            "privileges": [{"name": privilege, "condition": condition}]}]});
            server.done("POST", "/api/metalakes/m/roles", body).await;
            let path = format!("/api/metalakes/m/permissions/users/{user}/grant");
            server.done("PUT", &path, json!({"roleNames": [role]})).await;
        };
    let run = async |user: &str, template: &str| {
        let body = json!({"jobTemplateName": template, "jobConf": {"a": "1"}});
        let (status, answer) = server.call(user, "POST", RUNS, Some(body)).await;
        (status, answer["job"].clone())
    };
    // Neither privilege alone is enough, and hidden and absent templates look alike.
    for template in ["ok", "zz"] {
        assert_eq!(run("bob", template).await.0, 403);
    }
    grant("runs", "bob", ("METALAKE", "m"), "RUN_JOB", "ALLOW").await;
    for template in ["ok", "zz"] {
        assert_eq!(run("bob", template).await.0, 403);
    }
    grant("uses", "cy", ("JOB_TEMPLATE", "ok"), "USE_JOB_TEMPLATE", "ALLOW").await;
    assert_eq!(run("cy", "ok").await.0, 403);
    server
        .done(
            "PUT",
            "/api/metalakes/m/permissions/users/bob/grant",
            json!({"roleNames": ["uses"]}),
        )
        .await;
    let (status, job) = run("bob", "ok").await;
    assert_eq!((status, &job["audit"]["creator"]), (200, &json!("bob")));
    assert_eq!(run("bob", "slow").await.0, 403);
    // A job is its owner's: not even the owner of its template sees it.
    let path = format!("{RUNS}/{}", id(&job));
    server
        .done(
            "PUT",
            "/api/metalakes/m/owners/job_template/ok",
            json!({"name": "ann", "type": "USER"}),
        )
        .await;
    for user in ["ann", "cy"] {
        for path in [&path, &format!("{RUNS}/job-999")] {
            server.refused((user, "GET", path), None, FORBIDDEN).await;
            server.refused((user, "POST", path), None, FORBIDDEN).await;
        }
        let (_, list) = server.call(user, "GET", RUNS, None).await;
        assert_eq!(
            (&list["jobs"], &list["statusCounts"]["succeeded"]),
            (&json!([]), &json!(0))
        );
    }
    assert_eq!(server.call("bob", "GET", &path, None).await.0, 200);
    assert_eq!(server.call("bob", "POST", &path, None).await.0, 200);
    let (_, list) = server
        .call("bob", "GET", &format!("{RUNS}?jobTemplateName=ok"), None)
        .await;
    assert_eq!(list["jobs"].as_array().unwrap().len(), 1);
    // A template that bob may not see is as one that does not exist.
    for template in ["slow", "zz"] {
        let path = format!("{RUNS}?jobTemplateName={template}");
        server.refused(("bob", "GET", &path), None, NO_TEMPLATE).await;
    }
    let owner = format!("/api/metalakes/m/owners/job/{}", id(&job));
    server
        .done("PUT", &owner, json!({"name": "cy", "type": "USER"}))
        .await;
    assert_eq!(server.call("cy", "GET", &path, None).await.0, 200);
    server.refused(("bob", "GET", &path), None, FORBIDDEN).await;
    // The owner of a template uses it with RUN_JOB, and a denial wins.
    assert_eq!(run("ann", "ok").await.0, 403);
    grant("runs2", "ann", ("METALAKE", "m"), "RUN_JOB", "ALLOW").await;
    assert_eq!(run("ann", "ok").await.0, 200);
    grant("never", "bob", ("METALAKE", "m"), "RUN_JOB", "DENY").await;
    assert_eq!(run("bob", "ok").await.0, 403);
}

async fn no_more_jobs_than_may(place: Place) {
    let scene = Scene::start_with(
        &place,
        &[
            ("gravitino.jobExecutor.local.maxRunningJobs", "1"),
            ("gravitino.jobExecutor.local.waitingQueueSize", "1"),
        ],
    )
    .await;
    scene.script("slow", "sleep 10000").await;
    let running = scene.run("slow", json!({})).await;
    scene.becomes(&running, "started").await;
    let waiting = scene.run("slow", json!({})).await;
    let body = json!({"jobTemplateName": "slow"});
    scene
        .server
        .refused(("admin", "POST", RUNS), body, (503, 1002, "RuntimeException"))
        .await;
    assert_eq!(scene.load(&waiting).await["status"], "queued");
    let path = format!("{RUNS}/{}", id(&waiting));
    scene.server.done("POST", &path, None).await;
    let over = scene.becomes(&waiting, "cancelled").await;
    assert!(over["startedAt"].is_null());
}
