// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Job templates, as recorded from the original.

use serde_json::{Value, json};

use crate::scene::{FORBIDDEN, ILLEGAL, Place, Server, on_both_stores};

on_both_stores!(
    templates_come_and_go,
    every_change_of_both_types,
    wrong_templates_are_refused_with_the_member,
    the_names_of_the_server_are_its_own,
    who_may_do_what_with_a_template,
);

const TEMPLATES: &str = "/api/metalakes/m/jobs/templates";
/// What every metalake has.
const BUILT_IN: [&str; 3] = [
    "builtin-iceberg-cleanup-metadata-files",
    "builtin-iceberg-expire-snapshots",
    "builtin-iceberg-remove-orphan-files",
];
const RESERVED: (u16, i32, &str) = (400, 1001, "IllegalJobTemplateOperationException");
const MISSING: (u16, i32, &str) = (404, 1003, "NoSuchJobTemplateException");
const TAKEN: (u16, i32, &str) = (409, 1004, "JobTemplateAlreadyExistsException");

async fn scene(place: &Place) -> Server {
    let server = Server::start(place).await;
    server.done("POST", "/api/metalakes", json!({"name": "m"})).await;
    server
}

fn shell(name: &str) -> Value {
    json!({"jobTemplate": {"name": name, "jobType": "shell", "comment": "c", "executable": "file:///srv/ok.sh",
        "arguments": ["{{a}}", "{{b}}"], "environments": {"ENV1": "{{a}}"}, "customFields": {"f": "g"}, "scripts": []}})
}

fn spark(name: &str) -> Value {
    json!({"jobTemplate": {"name": name, "jobType": "SPARK", "executable": "file:///srv/x.jar", "className": "a.B",
        "arguments": ["{{d}}"], "configs": {"spark.executor.memory": "4g"}}})
}

/// A template of an answer without its times.
fn shown(template: &Value) -> Value {
    let mut template = template.clone();
    let audit = template["audit"].as_object_mut().unwrap();
    audit.retain(|name, _| name == "creator" || name == "lastModifier");
    template
}

async fn templates_come_and_go(place: Place) {
    let server = scene(&place).await;
    assert_eq!(
        server.done("GET", TEMPLATES, None).await,
        json!({"code": 0, "names": BUILT_IN})
    );
    for body in [shell("ok"), shell("bad"), spark("sp")] {
        assert_eq!(server.done("POST", TEMPLATES, body).await, json!({"code": 0}));
    }
    server
        .refused(("admin", "POST", TEMPLATES), shell("ok"), TAKEN)
        .await;
    let names = server.done("GET", TEMPLATES, None).await;
    let all = [&["bad"][..], &BUILT_IN, &["ok", "sp"]].concat();
    assert_eq!(names, json!({"code": 0, "names": all}));
    let listed = server
        .done("GET", &format!("{TEMPLATES}?details=true"), None)
        .await;
    let mut expected = shell("ok")["jobTemplate"].clone();
    expected["audit"] = json!({"creator": "admin"});
    assert_eq!(shown(&listed["jobTemplates"][4]), expected);
    let expected = json!({"jobType": "spark", "name": "sp", "executable": "file:///srv/x.jar", "arguments": ["{{d}}"],
        "environments": {}, "customFields": {}, "audit": {"creator": "admin"}, "className": "a.B", "jars": [],
        "files": [], "archives": [], "configs": {"spark.executor.memory": "4g"}});
    assert_eq!(shown(&listed["jobTemplates"][5]), expected);
    let loaded = server.done("GET", &format!("{TEMPLATES}/ok"), None).await;
    assert_eq!(loaded["jobTemplate"], listed["jobTemplates"][4]);
    let zz = format!("{TEMPLATES}/zz");
    server.refused(("admin", "GET", &zz), None, MISSING).await;
    let rename = json!({"updates": [{"@type": "rename", "newName": "q"}]});
    server.refused(("admin", "PUT", &zz), rename, MISSING).await;
    for expected in [true, false] {
        let dropped = server.done("DELETE", &format!("{TEMPLATES}/sp"), None).await;
        assert_eq!(dropped, json!({"code": 0, "dropped": expected}));
    }
}

async fn every_change_of_both_types(place: Place) {
    let server = scene(&place).await;
    for body in [shell("ok"), spark("sp")] {
        server.done("POST", TEMPLATES, body).await;
    }
    let (ok, sp) = (format!("{TEMPLATES}/ok"), format!("{TEMPLATES}/sp"));
    let update = |template: Value| json!({"updates": [{"@type": "updateTemplate", "newTemplate": template}]});
    let changed = server
        .done(
            "PUT",
            &ok,
            json!({"updates": [{"@type": "updateComment", "newComment": "c2"},
                {"@type": "updateTemplate", "newTemplate": {"@type": "shell", "newArguments": ["{{a}}", "z"]}}]}),
        )
        .await;
    let mut expected = shell("ok")["jobTemplate"].clone();
    expected["comment"] = json!("c2");
    expected["arguments"] = json!(["{{a}}", "z"]);
    expected["audit"] = json!({"creator": "admin", "lastModifier": "admin"});
    assert_eq!(shown(&changed["jobTemplate"]), expected);
    let all = json!({"@type": "shell", "newExecutable": "/bin/true", "newArguments": [], "newEnvironments": {"A": "b"},
        "newCustomFields": {}, "newScripts": ["/srv/s.sh"]});
    let changed = shown(&server.done("PUT", &ok, update(all)).await["jobTemplate"]);
    let expected = json!({"jobType": "shell", "name": "ok", "comment": "c2", "executable": "/bin/true", "arguments": [],
        "environments": {"A": "b"}, "customFields": {}, "audit": {"creator": "admin", "lastModifier": "admin"},
        "scripts": ["/srv/s.sh"]});
    assert_eq!(changed, expected);
    let all = json!({"@type": "spark", "newExecutable": null, "newClassName": "c.D", "newJars": ["j"], "newFiles": ["f"],
        "newArchives": ["z"], "newConfigs": {"k": "v"}});
    let changed = shown(&server.done("PUT", &sp, update(all)).await["jobTemplate"]);
    let expected = json!({"jobType": "spark", "name": "sp", "executable": "file:///srv/x.jar", "arguments": ["{{d}}"],
        "environments": {}, "customFields": {}, "audit": {"creator": "admin", "lastModifier": "admin"},
        "className": "c.D", "jars": ["j"], "files": ["f"], "archives": ["z"], "configs": {"k": "v"}});
    assert_eq!(changed, expected);
    let rename = |name: &str| json!({"updates": [{"@type": "rename", "newName": name}]});
    // The original fails with 500 here.
    server.refused(("admin", "PUT", &sp), rename("ok"), TAKEN).await;
    let renamed = server.done("PUT", &sp, rename("sp2")).await;
    assert_eq!(renamed["jobTemplate"]["name"], "sp2");
    server.refused(("admin", "GET", &sp), None, MISSING).await;
    // All or nothing.
    let half = json!({"updates": [{"@type": "updateComment", "newComment": "lost"},
        {"@type": "updateTemplate", "newTemplate": {"@type": "spark", "newJars": []}}]});
    server.refused(("admin", "PUT", &ok), half, ILLEGAL).await;
    assert_eq!(
        server.done("GET", &ok, None).await["jobTemplate"]["comment"],
        "c2"
    );
    for wrong in [
        json!({"updates": []}),
        json!({}),
        json!({"updates": [{"@type": "setProperty", "property": "a", "value": "b"}]}),
        json!({"updates": [{"@type": "rename", "newName": " "}]}),
        update(json!({"newArguments": []})),
        update(json!({"@type": "http"})),
        update(json!({"@type": "shell", "newArguments": ["a", 1]})),
        update(json!({"@type": "shell", "newExecutable": " "})),
        json!({"updates": [{"@type": "updateTemplate"}]}),
    ] {
        server.refused(("admin", "PUT", &ok), wrong, ILLEGAL).await;
    }
}

async fn wrong_templates_are_refused_with_the_member(place: Place) {
    let server = scene(&place).await;
    let template = |change: &dyn Fn(&mut Value)| {
        let mut body = shell("q");
        change(&mut body["jobTemplate"]);
        body
    };
    let set = |member: &'static str, value: Value| template(&|body| body[member] = value.clone());
    for (body, member) in [
        (json!({}), "jobTemplate"),
        (json!({"jobTemplate": []}), "jobTemplate"),
        (set("executable", Value::Null), "jobTemplate.executable"),
        (set("executable", json!(" ")), "jobTemplate.executable"),
        (set("jobType", json!("zz")), "jobTemplate.jobType"),
        (set("jobType", json!("http")), "jobTemplate.jobType"),
        (set("jobType", Value::Null), "jobTemplate.jobType"),
        (set("name", json!("")), "jobTemplate.name"),
        (set("name", json!("x".repeat(129))), "128"),
        (set("arguments", json!("a")), "jobTemplate.arguments"),
        (set("arguments", json!(["a", null])), "jobTemplate.arguments[1]"),
        (set("environments", json!({"A": 1})), "jobTemplate.environments.A"),
        (set("url", json!("http://x")), "jobTemplate.url"),
        (set("className", json!("a.B")), "jobTemplate.className"),
    ] {
        let (status, answer) = server.call("admin", "POST", TEMPLATES, Some(body.clone())).await;
        assert_eq!((status, &answer["code"]), (400, &json!(1001)), "{body}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains(member), "{body}: {message}");
    }
    assert_eq!(
        server.done("GET", TEMPLATES, None).await["names"],
        json!(BUILT_IN)
    );
}

async fn the_names_of_the_server_are_its_own(place: Place) {
    let server = scene(&place).await;
    server.done("POST", TEMPLATES, shell("ok")).await;
    let own = format!("{TEMPLATES}/builtin-sparkpi");
    let rename = json!({"updates": [{"@type": "rename", "newName": "builtin-x"}]});
    let comment = json!({"updates": [{"@type": "updateComment", "newComment": "x"}]});
    let ok = format!("{TEMPLATES}/ok");
    for (method, path, body) in [
        ("POST", TEMPLATES, Some(shell("builtin-x"))),
        ("PUT", &ok, Some(rename)),
        ("PUT", &own, Some(comment)),
        ("DELETE", &own, None),
    ] {
        server.refused(("admin", method, path), body, RESERVED).await;
    }
    server.refused(("admin", "GET", &own), None, MISSING).await;
}

async fn who_may_do_what_with_a_template(place: Place) {
    let server = scene(&place).await;
    for user in ["ann", "bob"] {
        server
            .done("POST", "/api/metalakes/m/users", json!({"name": user}))
            .await;
    }
    let grant = async |role: &str, user: &str, kind: &str, name: &str, privilege: &str| {
        let body = json!({"name": role, "securableObjects": [{"type": kind, "fullName": name,
            "privileges": [{"name": privilege, "condition": "ALLOW"}]}]});
        server.done("POST", "/api/metalakes/m/roles", body).await;
        let path = format!("/api/metalakes/m/permissions/users/{user}/grant");
        server.done("PUT", &path, json!({"roleNames": [role]})).await;
    };
    server.done("POST", TEMPLATES, shell("ok")).await;
    let ok = format!("{TEMPLATES}/ok");
    server
        .refused(("bob", "POST", TEMPLATES), shell("q"), FORBIDDEN)
        .await;
    // Hidden and absent look alike.
    for path in [&ok, &format!("{TEMPLATES}/zz")] {
        for (method, body) in [
            ("GET", None),
            ("DELETE", None),
            (
                "PUT",
                Some(json!({"updates": [{"@type": "rename", "newName": "q"}]})),
            ),
        ] {
            server.refused(("bob", method, path), body, FORBIDDEN).await;
        }
    }
    let names = async |user: &str| server.call(user, "GET", TEMPLATES, None).await.1["names"].clone();
    assert_eq!(names("bob").await, json!([]));
    grant("uses", "bob", "JOB_TEMPLATE", "ok", "USE_JOB_TEMPLATE").await;
    assert_eq!(names("bob").await, json!(["ok"]));
    assert_eq!(server.call("bob", "GET", &ok, None).await.0, 200);
    server.refused(("bob", "DELETE", &ok), None, FORBIDDEN).await;
    grant("registers", "ann", "METALAKE", "m", "REGISTER_JOB_TEMPLATE").await;
    let (status, _) = server.call("ann", "POST", TEMPLATES, Some(shell("anns"))).await;
    assert_eq!(status, 200);
    assert_eq!(names("ann").await, json!(["anns"]));
    assert_eq!(names("bob").await, json!(["ok"]));
    let owner = "/api/metalakes/m/owners/job_template/anns";
    assert_eq!(
        server.done("GET", owner, None).await["owner"],
        json!({"name": "ann", "type": "user"})
    );
    server
        .done("PUT", owner, json!({"name": "bob", "type": "USER"}))
        .await;
    let anns = format!("{TEMPLATES}/anns");
    server.refused(("ann", "GET", &anns), None, FORBIDDEN).await;
    let (status, answer) = server.call("bob", "DELETE", &anns, None).await;
    assert_eq!((status, &answer["dropped"]), (200, &json!(true)));
}
