// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! `X-Iceberg-Client-Capabilities`: not read at all by default, and joined to the header of the original where the operator
//! says so.

use serde_json::json;

use crate::world::{CAPABLE, TABLE, World};

const ICEBERG: &str = "X-Iceberg-Client-Capabilities";
const SWITCH: &str = "lakeward.read-restrictions.iceberg-capabilities-header";

async fn world(switch: &str) -> (World, String) {
    let world = World::with(&[(SWITCH, switch)]).await;
    world
        .enroll(json!({"name": "trino", "oauthClient": "trino"}))
        .await;
    let token = world.issuer.token("ann", &json!({"azp": "trino"}));
    (world, token)
}

#[tokio::test]
async fn by_default_the_header_of_iceberg_declares_nothing() {
    let (world, token) = world("false").await;
    let declared = [(ICEBERG, "read-restrictions.v1")];
    world
        .get(&token, TABLE, &declared)
        .await
        .refused(406, "does not declare");
    // Not even a malformed one does anything.
    let answer = world
        .get(&token, TABLE, &[CAPABLE, (ICEBERG, "Not A Token")])
        .await;
    answer.restricted_to("ann");
    assert!(!answer.header("vary").contains(ICEBERG));
    assert_eq!(answer.headers.get_all("vary").iter().count(), 1);
}

#[tokio::test]
async fn switched_on_both_headers_declare() {
    let (world, token) = world("true").await;
    let gravitino = CAPABLE.0;
    for headers in [
        &[(ICEBERG, "read-restrictions.v1")][..],
        &[(ICEBERG, "a.v1"), (ICEBERG, "read-restrictions.v1")],
        &[(ICEBERG, "read-restrictions.v1"), (gravitino, "other.v1")],
        // Each is read by itself: what is malformed in one voids nothing of the other.
        &[(ICEBERG, "read-restrictions.v1"), (gravitino, "Bad Token")],
        &[(ICEBERG, "Bad Token"), CAPABLE],
        &[CAPABLE],
    ] {
        let answer = world.get(&token, TABLE, headers).await;
        answer.restricted_to("ann");
        let vary: Vec<&str> = answer
            .headers
            .get_all("vary")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        assert!(
            vary.contains(&ICEBERG) && vary.join(",").contains(gravitino),
            "{vary:?}"
        );
    }
    for headers in [
        &[(ICEBERG, "read-restrictions.v2")][..],
        &[(ICEBERG, "Read-Restrictions.v1")],
        &[(ICEBERG, "read-restrictions.v1,")],
        &[(ICEBERG, "read-restrictions.v1"), (ICEBERG, "")],
        &[(ICEBERG, ""), (gravitino, "")],
        &[],
    ] {
        world
            .get(&token, TABLE, headers)
            .await
            .refused(406, "does not declare");
    }
}

#[tokio::test]
async fn what_is_declared_is_part_of_the_cache_identity() {
    let (world, token) = world("true").await;
    let free = TABLE.replace("tables/t", "tables/free");
    let etag = async |headers: &[(&str, &str)]| {
        world
            .get(&token, &free, headers)
            .await
            .is(200)
            .header("etag")
            .to_owned()
    };
    let without = etag(&[]).await;
    let by_iceberg = etag(&[(ICEBERG, "read-restrictions.v1")]).await;
    assert_ne!(without, by_iceberg);
    assert_eq!(by_iceberg, etag(&[CAPABLE]).await, "the same is declared");
    assert_eq!(without, etag(&[(ICEBERG, "Bad Token")]).await);
}
