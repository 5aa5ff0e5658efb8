// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Loading a table over the Iceberg protocol through the listener of trusted readers: restricted against unrestricted
//! for tables of several widths, and not modified against whole.

use reqwest::header::ETAG;

use crate::measure::compare;
use crate::tables::Tables;

const COLUMNS: [usize; 3] = [10, 100, 1_000];
const MASKS: [usize; 3] = [0, 1, 100];

pub(crate) async fn run() {
    let tables = Tables::start().await;
    for columns in COLUMNS {
        let open = format!("open_{columns}");
        tables.add(&open, columns).await;
        assert_eq!(tables.masks(&open).await, None);
        for masks in MASKS.into_iter().filter(|masks| *masks <= columns) {
            let restricted = format!("restricted_{columns}_{masks}");
            tables.add(&restricted, columns).await;
            tables.restrict(&restricted, columns, masks).await;
            assert_eq!(tables.masks(&restricted).await, Some(masks));
            let whole = async |table: &str| {
                tables.load_whole(table).await;
            };
            compare(async || whole(&restricted).await, async || whole(&open).await)
                .await
                .print(
                    &format!("loadTable of {columns} columns, a row filter and {masks} masks"),
                    ["restricted", "unrestricted"],
                    "at most 1.1",
                );
        }
    }
    let restricted = "restricted_100_1";
    let tag = tables.load(restricted, None).await.headers()[ETAG]
        .to_str()
        .unwrap()
        .to_owned();
    compare(
        async || assert_eq!(tables.load(restricted, Some(&tag)).await.status(), 304),
        async || {
            tables.load_whole(restricted).await;
        },
    )
    .await
    .print("loadTable of 100 columns", ["304", "200"], "below 1");
    tables.scene.server.stop().await;
}
