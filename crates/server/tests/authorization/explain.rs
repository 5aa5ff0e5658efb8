// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Decisions explained, and to whom.

use serde_json::{Value, json};

use crate::harness::{ADMIN, Answer, NONE, Server, StoreEngine, grant, role, server, speaks_of};
use crate::on_each_store;

const M: &str = "/metalakes/m";

async fn explain(server: &Server, asker: &str, object: &str, question: Value) -> Answer {
    let path = format!("{M}/objects/{object}/access/explain");
    server.call(asker, "POST", &path, question).await
}

/// The explanation, which must be given.
async fn told(server: &Server, asker: &str, object: &str, question: Value) -> Value {
    let answer = explain(server, asker, object, question).await.is(200);
    answer.body["explanation"].clone()
}

/// The metalake with readers: bob reads everything in `c.s` but `c.s.u`, which is denied through the group `team`.
pub(crate) async fn with_readers(engine: StoreEngine) -> Server {
    let server = server(engine).await;
    server
        .call(ADMIN, "POST", &format!("{M}/groups"), json!({"name": "team"}))
        .await
        .is(200);
    let reader = json!([
        speaks_of("CATALOG", "c", &["USE_CATALOG"]),
        speaks_of("SCHEMA", "c.s", &["USE_SCHEMA", "SELECT_TABLE"]),
    ]);
    role(&server, "reader", reader).await;
    role(
        &server,
        "no_u",
        json!([speaks_of("TABLE", "c.s.u", &["DENY SELECT_TABLE"])]),
    )
    .await;
    role(
        &server,
        "lost",
        json!([speaks_of("SCHEMA", "c.s", &["SELECT_TABLE"])]),
    )
    .await;
    grant(&server, "bob", &["reader"]).await;
    grant(&server, "carl", &["lost"]).await;
    let to_team = format!("{M}/permissions/groups/team/grant");
    server
        .call(ADMIN, "PUT", &to_team, json!({"roleNames": ["no_u"]}))
        .await
        .is(200);
    server
}

/// What a role says, as explanations tell it.
pub(crate) fn saying(
    privilege: &str,
    condition: &str,
    object: (&str, &str),
    role: &str,
    through: (&str, &str),
) -> Value {
    json!({
        "privilege": privilege, "condition": condition, "role": role,
        "object": {"type": object.0, "fullName": object.1},
        "through": {"type": through.0, "name": through.1},
    })
}

on_each_store!(a_decision_is_told_with_what_it_rests_on);

async fn a_decision_is_told_with_what_it_rests_on(engine: StoreEngine) {
    let server = with_readers(engine).await;
    let bob = ("user", "bob");
    // Allowed: the grants of the way and of the privilege, each with its role and how it is held.
    let allowed = told(
        &server,
        ADMIN,
        "table/c.s.t",
        json!({"user": "bob", "groups": []}),
    )
    .await;
    assert_eq!(allowed["allowed"], true, "{allowed:#}");
    assert_eq!(
        allowed["object"],
        json!({"type": "table", "fullName": "c.s.t", "found": true})
    );
    assert_eq!(allowed["operation"], "load");
    assert_eq!(allowed["rule"], "on TABLE: owner or SELECT_TABLE or MODIFY_TABLE");
    let catalog = ("catalog", "c");
    let schema = ("schema", "c.s");
    assert_eq!(
        allowed["granted"],
        json!([
            saying("USE_CATALOG", "ALLOW", catalog, "reader", bob),
            saying("USE_SCHEMA", "ALLOW", schema, "reader", bob),
            saying("SELECT_TABLE", "ALLOW", schema, "reader", bob),
        ])
    );
    assert_eq!(allowed["owned"], json!([]));
    assert_eq!(allowed["subject"]["membership"], "member");

    // Refused by a denial, through a group.
    let team = json!({"user": "bob", "groups": ["team"], "operation": "loadTable"});
    let denied = told(&server, ADMIN, "table/c.s.u", team).await;
    assert_eq!(denied["allowed"], false);
    assert_eq!(denied["operation"], "LoadTable");
    assert_eq!(denied["reason"], "`SELECT_TABLE` is denied on the table");
    assert_eq!(
        denied["denied"],
        json!([saying(
            "SELECT_TABLE",
            "DENY",
            ("table", "c.s.u"),
            "no_u",
            ("group", "team")
        )])
    );
    assert_eq!(denied["needs"], json!(["SELECT_TABLE", "MODIFY_TABLE"]));
    let alone = told(
        &server,
        ADMIN,
        "table/c.s.u",
        json!({"user": "bob", "groups": []}),
    )
    .await;
    assert_eq!(alone["allowed"], true);

    // Refused because the way is closed.
    let lost = told(
        &server,
        ADMIN,
        "table/c.s.t",
        json!({"user": "carl", "groups": []}),
    )
    .await;
    assert_eq!(
        (&lost["allowed"], &lost["missing"]),
        (&json!(false), &json!(["USE_CATALOG", "USE_SCHEMA"]))
    );
    let looked_at = lost["weighing"]["privileges"]
        .as_array()
        .expect("privileges")
        .clone();
    let select = looked_at
        .iter()
        .find(|one| one["privilege"] == "SELECT_TABLE")
        .expect("select");
    assert_eq!(select["held"], true);
    assert_eq!(
        select["allowed"],
        json!([saying("SELECT_TABLE", "ALLOW", schema, "lost", ("user", "carl"))])
    );

    // Owned, on which ancestor, by whom.
    let owner = json!({"name": "team", "type": "group"});
    server
        .call(ADMIN, "PUT", &format!("{M}/owners/catalog/c"), owner)
        .await
        .is(200);
    let drop = json!({"user": "carl", "groups": ["team"], "operation": "dropTable"});
    let owned = told(&server, ADMIN, "table/c.s.t", drop).await;
    assert_eq!(owned["allowed"], true);
    assert_eq!(
        owned["owned"],
        json!([{"object": {"type": "catalog", "fullName": "c"}, "owner": {"type": "group", "name": "team"}}])
    );
    assert_eq!(owned["granted"], json!([]));

    // Who is no user of the metalake, and who is suspended.
    let outsider = told(
        &server,
        ADMIN,
        "table/c.s.t",
        json!({"user": "nobody", "groups": []}),
    )
    .await;
    assert_eq!(outsider["allowed"], false);
    assert_eq!(outsider["subject"]["membership"], "outsider");
    server
        .call(ADMIN, "PUT", &format!("{M}/users/bob"), json!({"enabled": false}))
        .await
        .is(200);
    let suspended = told(
        &server,
        ADMIN,
        "table/c.s.t",
        json!({"user": "bob", "groups": []}),
    )
    .await;
    assert_eq!(suspended["subject"]["membership"], "suspended");
    assert_eq!(
        suspended["reason"],
        "the user's access to the metalake is suspended"
    );
}

on_each_store!(unknown_groups_are_said_and_not_guessed);

async fn unknown_groups_are_said_and_not_guessed(engine: StoreEngine) {
    let server = with_readers(engine).await;
    // Identities of `simple` bring no groups, and the metalake has one.
    let unknown = told(&server, ADMIN, "table/c.s.t", json!({"user": "bob"})).await;
    assert_eq!(unknown["allowed"], Value::Null, "{unknown:#}");
    assert_eq!(unknown["without-groups"], true);
    assert_eq!(unknown["subject"]["groups-known"], false);
    assert_eq!(unknown["subject"]["groups"], Value::Null);
    let reason = unknown["reason"].as_str().expect("a reason");
    assert!(
        reason.starts_with("it is not known in which groups the user is"),
        "{reason}"
    );
    // Requests of the caller are decided by the identity that it came with, so its verdict is known.
    let own = told(&server, "bob", "table/c.s.t", json!({})).await;
    assert_eq!(own["allowed"], true);
    // Without any group there is nothing to know.
    server
        .call(ADMIN, "DELETE", &format!("{M}/groups/team"), NONE)
        .await
        .is(200);
    let known = told(&server, ADMIN, "table/c.s.t", json!({"user": "bob"})).await;
    assert_eq!(
        (&known["allowed"], &known["subject"]["groups-from"]),
        (&json!(true), &json!("none-exist"))
    );
}

on_each_store!(grants_of_others_are_for_those_who_may_grant);

async fn grants_of_others_are_for_those_who_may_grant(engine: StoreEngine) {
    let server = with_readers(engine).await;
    let of_carl = json!({"user": "carl", "groups": []});
    for object in [
        "table/c.s.t",
        "table/c.s.absent",
        "schema/c.none",
        "catalog/none",
        "role/none",
    ] {
        for asker in ["bob", "carl", "eve"] {
            let question = if asker == "carl" {
                json!({"user": "carl", "groups": ["team"]})
            } else {
                of_carl.clone()
            };
            explain(&server, asker, object, question)
                .await
                .fails(403, 1008, "ForbiddenException");
        }
    }
    role(
        &server,
        "granter",
        json!([speaks_of("METALAKE", "m", &["MANAGE_GRANTS"])]),
    )
    .await;
    grant(&server, "eve", &["granter"]).await;
    // Granting on an object takes the way to it, and so does being told of it.
    explain(&server, "eve", "table/c.s.t", of_carl.clone())
        .await
        .is(403);
    explain(&server, "eve", "table/c.s.absent", of_carl.clone())
        .await
        .is(403);
    let way = json!([
        speaks_of("CATALOG", "c", &["USE_CATALOG"]),
        speaks_of("SCHEMA", "c.s", &["USE_SCHEMA"]),
    ]);
    role(&server, "way", way).await;
    grant(&server, "eve", &["way"]).await;
    // She may grant on the table now, and not load it: who owns it she is not told.
    for object in ["table/c.s.t", "table/c.s.absent"] {
        explain(&server, "eve", object, of_carl.clone())
            .await
            .fails(403, 1008, "ForbiddenException");
    }
    grant(&server, "eve", &["reader"]).await;
    let told_to_eve = told(&server, "eve", "table/c.s.t", of_carl).await;
    assert_eq!(told_to_eve["allowed"], false);
    // She may not read users, so she is not told which there are.
    for somebody in ["carl", "nobody-at-all"] {
        let told = told(
            &server,
            "eve",
            "table/c.s.t",
            json!({"user": somebody, "groups": []}),
        )
        .await;
        assert_eq!(told["subject"]["membership"], Value::Null, "{told:#}");
    }
    // Groups that she states are told as stated, whether they exist or not.
    let stated = json!({"user": "carl", "groups": ["team", "no-group"]});
    let told_to_eve = told(&server, "eve", "table/c.s.t", stated).await;
    assert_eq!(told_to_eve["subject"]["groups"], json!(["no-group", "team"]));
    // Whose groups she may not see, she is told without their names.
    let denied = json!({"user": "carl"});
    let hidden = told(&server, "eve", "table/c.s.t", denied).await;
    assert_eq!(hidden["subject"]["groups"], Value::Null);
    // A role on the metalake that the asker holds only for one object is not enough.
    role(
        &server,
        "local",
        json!([speaks_of("CATALOG", "c", &["MANAGE_GRANTS"])]),
    )
    .await;
    grant(&server, "bob", &["local"]).await;
    explain(&server, "bob", "table/c.s.t", json!({"user": "carl"}))
        .await
        .is(403);
}

on_each_store!(about_itself_a_user_learns_nothing_that_is_hidden);

async fn about_itself_a_user_learns_nothing_that_is_hidden(engine: StoreEngine) {
    let server = with_readers(engine).await;
    // When somebody else's grants were changed is for those who may see them.
    for (asker, is_shown) in [("bob", false), (ADMIN, true)] {
        let about_itself = told(&server, asker, "table/c.s.t", json!({})).await;
        assert_eq!(about_itself["revision"].is_object(), is_shown, "{asker}");
        let path = format!("{M}/users/{asker}/access");
        let listed = server.call(asker, "GET", &path, NONE).await.is(200);
        assert_eq!(listed.body["revision"].is_object(), is_shown, "{asker}");
    }
    // A denial on the table itself, by a role of her own, and one on the schema.
    role(
        &server,
        "own",
        json!([speaks_of(
            "TABLE",
            "c.s.t",
            &["DENY SELECT_TABLE", "MODIFY_TABLE"]
        )]),
    )
    .await;
    grant(&server, "eve", &["own"]).await;
    let plain = |told: Value| {
        let text = told.to_string().replace("c.s.t", "X").replace("c.s.n", "X");
        serde_json::from_str::<Value>(&text).expect("still JSON")
    };
    let list_tags = operation_of("GET", "/objects/{type}/{fullName}/tags");
    for operation in [
        "loadTable",
        "alterTable",
        "dropTable",
        "setOwner",
        list_tags.as_str(),
    ] {
        let question = json!({"operation": operation});
        let hidden = explain(&server, "eve", "table/c.s.t", question.clone()).await;
        let absent = explain(&server, "eve", "table/c.s.n", question).await;
        assert_eq!(hidden.status, absent.status, "{operation}");
        assert_eq!(plain(hidden.body.clone()), plain(absent.body), "{operation}");
        assert_eq!(
            hidden.body["explanation"]["object"]["found"], false,
            "{operation}"
        );
    }
    // What she may see she is told of.
    let own = told(&server, "bob", "table/c.s.t", json!({"user": "bob"})).await;
    assert_eq!(
        (&own["allowed"], &own["object"]["found"]),
        (&json!(true), &json!(true))
    );
    let absent = told(&server, "bob", "table/c.s.n", json!({})).await;
    assert_eq!(
        (&absent["allowed"], &absent["object"]["found"]),
        (&json!(true), &json!(false))
    );
}

on_each_store!(wrong_questions_are_refused_with_the_reason);

async fn wrong_questions_are_refused_with_the_reason(engine: StoreEngine) {
    let server = with_readers(engine).await;
    for (object, question, part) in [
        ("table/c.s.t", json!({"operation": "fly"}), "loadTable"),
        ("catalog/c", json!({"operation": "loadTable"}), "acts on a table"),
        ("table/c.s", json!({}), "levels"),
        ("nothing/c", json!({}), "type of metadata object"),
        ("table/c.s.t", json!({"who": "bob"}), "who"),
        (
            "table/c.s.t",
            json!({"instruments": [{"type": "tag"}]}),
            "fullName",
        ),
        (
            "table/c.s.t",
            json!({"operation": "listMetalakes"}),
            "concerns the server",
        ),
        (
            "table/c.s.t",
            json!({"instruments": vec![json!({"type": "tag", "fullName": "pii"}); 101]}),
            "at most 100",
        ),
    ] {
        let answer = explain(&server, ADMIN, object, question.clone()).await;
        assert_eq!(answer.status, 400, "{question}: {}", answer.body);
        let message = answer.body["message"].as_str().unwrap_or_default().to_lowercase();
        assert!(message.contains(&part.to_lowercase()), "{question}: {message}");
    }
}

on_each_store!(what_is_used_on_an_object_is_explained_too);

async fn what_is_used_on_an_object_is_explained_too(engine: StoreEngine) {
    let server = with_readers(engine).await;
    server
        .call(ADMIN, "POST", &format!("{M}/tags"), json!({"name": "pii"}))
        .await
        .is(200);
    let operation = operation_of("POST", "/objects/{type}/{fullName}/tags");
    let question = json!({"user": "bob", "groups": [], "operation": operation,
        "instruments": [{"type": "tag", "fullName": "pii"}]});
    let refused = told(&server, ADMIN, "table/c.s.t", question.clone()).await;
    assert_eq!(refused["allowed"], false, "{refused:#}");
    role(
        &server,
        "tagger",
        json!([speaks_of("TAG", "pii", &["APPLY_TAG"])]),
    )
    .await;
    grant(&server, "bob", &["tagger"]).await;
    let allowed = told(&server, ADMIN, "table/c.s.t", question.clone()).await;
    assert_eq!(allowed["allowed"], true, "{allowed:#}");
    // Of a tag that the asker may not see it is told what would be told if there were none.
    role(
        &server,
        "granter",
        json!([speaks_of("METALAKE", "m", &["MANAGE_GRANTS"])]),
    )
    .await;
    grant(&server, "eve", &["granter", "reader"]).await;
    let mut of_absent = question.clone();
    of_absent["instruments"][0]["fullName"] = json!("no-tag");
    let hidden = told(&server, "eve", "table/c.s.t", question).await;
    let absent = told(&server, "eve", "table/c.s.t", of_absent).await;
    assert_eq!(hidden, absent);
    let without = json!({"user": "bob", "groups": [], "operation": operation});
    explain(&server, ADMIN, "table/c.s.t", without).await.is(400);
}

/// The name of the operation of a native route.
pub(crate) fn operation_of(method: &str, end: &str) -> String {
    let routes = lakeward_server::listing::all_routes();
    let mounted = routes
        .mounted()
        .iter()
        .find(|mounted| mounted.method == method && mounted.path.ends_with(end))
        .expect("a route");
    lakeward_server::operation_name::operation_name(mounted)
}
