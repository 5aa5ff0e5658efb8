// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What is asked, and what comes in between.

use serde_json::{Value, json};

use super::{Case, Change, EXPLAINER, GRANTER, M};
use crate::scene::iceberg;

pub(super) fn table(name: &str) -> Value {
    json!({"name": name, "columns": [{"name": "id", "type": "long", "nullable": true}]})
}

pub(super) fn custom(name: &str) -> Value {
    json!({"name": name, "policyType": "custom", "enabled": true, "content":
        {"customRules": {"a": 1}, "supportedObjectTypes": ["TABLE"], "properties": {}}})
}

pub(super) fn row_filter(name: &str) -> Value {
    json!({"name": name, "policyType": "system_row_filter", "enabled": false,
        "content": {"expression": "filter := col(\"region\") == \"US\""}})
}

fn asking(question: Value, case: Case) -> Case {
    Case {
        question: Some(question),
        role: Some(EXPLAINER),
        ..case
    }
}

fn select_on_t() -> Value {
    json!([{"type": "TABLE", "fullName": "ice.s.t", "privileges": [{"name": "SELECT_TABLE", "condition": "ALLOW"}]}])
}

/// Every list, and other answers that name what is read beside the facts. Where several lists show the same kind, each
/// has a name of its own.
pub(super) fn cases() -> Vec<Case> {
    let post = |path: String, body: Value| ("POST", path, body);
    let catalogs = format!("{M}/catalogs");
    let ice = format!("{catalogs}/ice/schemas");
    let (files, models) = (
        format!("{catalogs}/files/schemas/s"),
        format!("{catalogs}/models/schemas/s"),
    );
    let topics = format!("{catalogs}/kaf/schemas/default/topics");
    let table_object = format!("{M}/objects/table/ice.s.t");
    let iceberg_tables = "/iceberg/v1/ice/namespaces/s/tables".to_owned();
    let iceberg_views = "/iceberg/v1/ice/namespaces/s/views".to_owned();
    let view = |name: &str| {
        json!({"name": name, "columns": [{"name": "c", "type": "long", "nullable": true}],
            "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT 1 AS c"}]})
    };
    let function = json!({"name": "late_function", "functionType": "SCALAR", "deterministic": true, "definitions": [
        {"parameters": [], "returnType": "integer", "impls": [
            {"language": "SQL", "runtime": "SPARK", "sql": "1"}]}]});
    let named = |name: &str| json!({"name": name});
    let tag = |name: &str| post(format!("{M}/tags"), named(name));
    let put_tag = |name: &str| post(format!("{table_object}/tags"), json!({"tagsToAdd": [name]}));
    let put_policy = |name: &str| {
        post(
            format!("{table_object}/policies"),
            json!({"policiesToAdd": [name]}),
        )
    };
    let template =
        json!({"jobTemplate": {"jobType": "shell", "name": "late_template", "executable": "/bin/true"}});
    let case = |route: &'static str, path: &str, changes: Vec<Change>| Case {
        route,
        path: path.to_owned(),
        question: None,
        role: None,
        changes,
    };
    let selected_by = |name: &str| {
        vec![
            tag(name),
            ("PUT", format!("{M}/tags/{name}/policies/rows"), json!({})),
            put_tag(name),
        ]
    };
    let late_role = |name: &str| {
        post(
            format!("{M}/roles"),
            json!({"name": name, "securableObjects": select_on_t()}),
        )
    };
    vec![
        case(
            "/metalakes/{metalake}/catalogs",
            &catalogs,
            vec![post(catalogs.clone(), iceberg("late_catalog"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs",
            &format!("{catalogs}?details=true"),
            vec![post(catalogs.clone(), iceberg("late_catalog2"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas",
            &ice,
            vec![post(ice.clone(), named("late_schema"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/tables",
            &format!("{ice}/s/tables"),
            vec![
                ("PUT", format!("{ice}/s/tables/t"), rename("late_table")),
                ("PUT", format!("{ice}/s/tables/late_table"), rename("t")),
                post(format!("{ice}/s/tables"), table("late_table2")),
            ],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/views",
            &format!("{ice}/s/views"),
            vec![post(format!("{ice}/s/views"), view("late_view"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/functions",
            &format!("{ice}/s/functions"),
            vec![post(format!("{ice}/s/functions"), function)],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/filesets",
            &format!("{files}/filesets"),
            vec![post(format!("{files}/filesets"), named("late_fileset"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/models",
            &format!("{models}/models"),
            vec![post(format!("{models}/models"), named("late_model"))],
        ),
        case(
            "/metalakes/{metalake}/catalogs/{catalog}/schemas/{schema}/topics",
            &topics,
            vec![post(topics.clone(), named("late_topic"))],
        ),
        case(
            "/metalakes/{metalake}/users",
            &format!("{M}/users"),
            vec![post(format!("{M}/users"), named("late_user"))],
        ),
        case(
            "/metalakes/{metalake}/users",
            &format!("{M}/users?details=true"),
            vec![post(format!("{M}/users"), named("late_user2"))],
        ),
        case(
            "/metalakes/{metalake}/groups",
            &format!("{M}/groups"),
            vec![post(format!("{M}/groups"), named("late_group"))],
        ),
        case(
            "/metalakes/{metalake}/groups",
            &format!("{M}/groups?details=true"),
            vec![post(format!("{M}/groups"), named("late_group2"))],
        ),
        case(
            "/metalakes/{metalake}/roles",
            &format!("{M}/roles"),
            vec![late_role("late_role")],
        ),
        case(
            "/metalakes/{metalake}/roles",
            &format!("{M}/roles?details=true"),
            vec![late_role("late_role2")],
        ),
        case(
            "/metalakes/{metalake}/objects/{type}/{fullName}/roles",
            &format!("{table_object}/roles"),
            vec![late_role("late_role3")],
        ),
        case(
            "/metalakes/{metalake}/tags",
            &format!("{M}/tags"),
            vec![tag("late_tag")],
        ),
        case(
            "/metalakes/{metalake}/tags",
            &format!("{M}/tags?details=true"),
            vec![tag("late_tag2")],
        ),
        case(
            "/metalakes/{metalake}/objects/{type}/{fullName}/tags",
            &format!("{table_object}/tags"),
            vec![tag("late_tag3"), put_tag("late_tag3")],
        ),
        case(
            "/metalakes/{metalake}/tags/{type}/{fullName}",
            &format!("{M}/tags/table/ice.s.t"),
            vec![tag("late_tag4"), put_tag("late_tag4")],
        ),
        case(
            "/metalakes/{metalake}/policies",
            &format!("{M}/policies"),
            vec![post(format!("{M}/policies"), custom("late_policy"))],
        ),
        case(
            "/metalakes/{metalake}/objects/{type}/{fullName}/policies",
            &format!("{table_object}/policies"),
            vec![
                post(format!("{M}/policies"), custom("late_policy2")),
                put_policy("late_policy2"),
            ],
        ),
        case(
            "/metalakes/{metalake}/tags/{tag}/policies",
            &format!("{M}/tags/g/policies"),
            vec![
                post(format!("{M}/policies"), row_filter("late_policy3")),
                ("PUT", format!("{M}/tags/g/policies/late_policy3"), json!({})),
            ],
        ),
        case(
            "/metalakes/{metalake}/policies/{policy}/tags",
            &format!("{M}/policies/rows/tags"),
            vec![
                tag("late_tag5"),
                ("PUT", format!("{M}/tags/late_tag5/policies/rows"), json!({})),
            ],
        ),
        case(
            "/metalakes/{metalake}/jobs/templates",
            &format!("{M}/jobs/templates"),
            vec![post(format!("{M}/jobs/templates"), template)],
        ),
        case(
            "/metalakes/{metalake}/jobs/runs",
            &format!("{M}/jobs/runs"),
            vec![post(
                format!("{M}/jobs/runs"),
                json!({"jobTemplateName": "j", "jobConf": {}}),
            )],
        ),
        case(
            "/v1/{prefix}/namespaces",
            "/iceberg/v1/ice/namespaces",
            vec![post(ice.clone(), named("late_schema2"))],
        ),
        case(
            "/v1/{prefix}/namespaces/{namespace}/tables",
            &iceberg_tables,
            vec![post(format!("{ice}/s/tables"), table("late_table3"))],
        ),
        case(
            "/v1/{prefix}/namespaces/{namespace}/views",
            &iceberg_views,
            vec![post(format!("{ice}/s/views"), view("late_view2"))],
        ),
        // No lists of what may be shown, but read after their decision too.
        case(
            "/metalakes/{metalake}/tags/{tag}/objects",
            &format!("{M}/tags/h/objects"),
            vec![
                post(format!("{ice}/s/tables"), table("late_table4")),
                post(
                    format!("{M}/objects/table/ice.s.late_table4/tags"),
                    json!({"tagsToAdd": ["h"]}),
                ),
            ],
        ),
        case(
            "/metalakes/{metalake}/policies/{policy}/objects",
            &format!("{M}/policies/q/objects"),
            vec![
                post(format!("{ice}/s/tables"), table("late_table5")),
                post(
                    format!("{M}/objects/table/ice.s.late_table5/policies"),
                    json!({"policiesToAdd": ["q"]}),
                ),
            ],
        ),
        case(
            "/metalakes/{metalake}/users/{user}",
            &format!("{M}/users/admin"),
            vec![
                late_role("late_role4"),
                (
                    "PUT",
                    format!("{M}/permissions/users/admin/grant"),
                    json!({"roleNames": ["late_role4"]}),
                ),
            ],
        ),
        case(
            "/metalakes/{metalake}/models/{model}/versions",
            &format!("{models}/models/x/versions?details=true"),
            vec![post(
                format!("{models}/models/x/versions"),
                json!({"uri": "s3://late_uri/x", "aliases": ["late_alias"]}),
            )],
        ),
        Case {
            role: Some(GRANTER),
            ..case(
                "/metalakes/{metalake}/users/{user}/access",
                &format!("{M}/users/admin/access"),
                vec![
                    (
                        "PUT",
                        format!("{M}/permissions/users/ann/revoke"),
                        json!({"roleNames": [GRANTER]}),
                    ),
                    post(format!("{ice}/s/tables"), table("late_table6")),
                ],
            )
        },
        // Who may still explain is told no tag that came after the right to see tags ended.
        asking(
            json!({"policies": ["rows"]}),
            case(
                "/metalakes/{metalake}/objects/table/{fullName}/read-restrictions/explain",
                &format!("{table_object}/read-restrictions/explain"),
                selected_by("late_tag6"),
            ),
        ),
        asking(
            json!({"policy": "rows"}),
            case(
                "/metalakes/{metalake}/read-restrictions/impact",
                &format!("{M}/read-restrictions/impact"),
                selected_by("late_tag7"),
            ),
        ),
    ]
}

fn rename(name: &str) -> Value {
    json!({"updates": [{"@type": "rename", "newName": name}]})
}
