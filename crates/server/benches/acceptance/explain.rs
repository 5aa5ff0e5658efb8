// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Explaining why a table is restricted beside loading it.

use serde_json::json;

use crate::measure::compare;
use crate::tables::Tables;

pub(crate) async fn run() {
    let tables = Tables::start().await;
    for (columns, masks) in [(10, 1), (100, 10), (1_000, 100)] {
        let table = format!("explained_{columns}");
        tables.add(&table, columns).await;
        tables.restrict(&table, columns, masks).await;
        let path = format!("/api/metalakes/m/objects/table/c.s.{table}/read-restrictions/explain");
        let question = json!({"user": "root", "groups": ["auditors"]});
        let explain = async || tables.scene.call("POST", &path, None, question.clone()).await;
        let told = explain().await;
        assert_eq!(told["explanation"]["columns"].as_array().unwrap().len(), masks);
        compare(
            async || {
                explain().await;
            },
            async || {
                tables.load_whole(&table).await;
            },
        )
        .await
        .print(
            &format!("a table of {columns} columns, a row filter and {masks} masks"),
            ["explain", "load"],
            "none; for comparison",
        );
    }
    tables.scene.server.stop().await;
}
