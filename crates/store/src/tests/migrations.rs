// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Both engines have the same schema, and stores open again.

#![expect(clippy::disallowed_methods, reason = "looks at the engines from outside")]

use std::collections::BTreeSet;
use std::path::Path;

use sqlx::Row as _;

use super::scene::Scene;
use crate::engine::Engine;
use crate::{Store, StoreError, StoreOptions, StoreUrl};

pub(super) async fn a_store_opens_again(scene: &Scene) {
    scene.metalake("m").await;
    let node = scene.node().await;
    assert!(node.current("m").await.unwrap().is_some());
}

pub(super) async fn nodes_open_at_the_same_time(scene: &Scene) {
    let opened = futures::future::join_all((0..4).map(|_| scene.node())).await;
    assert_eq!(opened.len(), 4);
}

#[tokio::test]
async fn several_nodes_migrate_an_empty_database() {
    let Some(scene) = Scene::postgres().await else {
        return;
    };
    sqlx::raw_sql("DO $$ BEGIN EXECUTE 'DROP SCHEMA ' || current_schema() || ' CASCADE'; END $$")
        .execute(&scene.store.inner.pool)
        .await
        .unwrap();
    let (_, schema, _) = scene.place().unwrap();
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("CREATE SCHEMA {schema}")))
        .execute(&scene.store.inner.pool)
        .await
        .unwrap();
    let nodes = futures::future::join_all((0..4).map(|_| scene.node())).await;
    for node in nodes {
        assert_eq!(node.current("m").await.unwrap(), None);
        node.close().await;
    }
    scene.end().await;
}

#[tokio::test]
async fn a_file_belongs_to_one_process_and_one_version() {
    let folder = tempfile::TempDir::new().unwrap();
    let url = StoreUrl::Sqlite(folder.path().join("deeper/store.db"));
    let store = Store::open(&url, StoreOptions::default()).await.unwrap();
    let error = Store::open(&url, StoreOptions::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    sqlx::query("INSERT INTO migration (name, applied_at) VALUES ('9999_future', 0)")
        .execute(&store.inner.pool)
        .await
        .unwrap();
    // Whoever still has it: a task that was given up may, for a moment.
    store.close().await;
    let error = Store::open(&url, StoreOptions::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
}

#[test]
fn every_migration_file_is_listed_for_both_engines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut listings = Vec::new();
    for (engine, name) in [(Engine::Sqlite, "sqlite"), (Engine::Postgres, "postgres")] {
        let files: BTreeSet<String> = std::fs::read_dir(folder.join(name))
            .unwrap()
            .map(|entry| {
                entry
                    .unwrap()
                    .path()
                    .file_stem()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        let listed: Vec<&str> = engine
            .migrations()
            .iter()
            .map(|migration| migration.name)
            .collect();
        assert!(listed.is_sorted());
        assert_eq!(files, listed.iter().map(|name| (*name).to_owned()).collect());
        listings.push(listed);
    }
    assert_eq!(listings[0], listings[1]);
}

/// Tables with columns and nullability, and indexes with columns, uniqueness and whether they are partial.
async fn catalog(store: &Store, statements: [&'static str; 2]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for statement in statements {
        let rows = sqlx::query(statement).fetch_all(&store.inner.pool).await.unwrap();
        for row in rows {
            found.insert(row.get::<String, _>(0));
        }
    }
    found
}

#[tokio::test]
async fn both_engines_have_the_same_tables_columns_and_indexes() {
    let Some(postgres) = Scene::postgres().await else {
        return;
    };
    let sqlite = Scene::sqlite().await;
    let left = catalog(
        &sqlite.store,
        [
            "SELECT 'column ' || m.name || '.' || c.name
                || CASE WHEN c.\"notnull\" = 1 OR c.pk > 0 THEN ' not null' ELSE ' null' END
             FROM sqlite_master m JOIN pragma_table_info(m.name) c
             WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'",
            "SELECT 'index ' || m.name || ' ' || CASE WHEN i.\"unique\" = 1 THEN 'unique' ELSE 'plain' END
                || CASE WHEN i.partial = 1 THEN ' partial ' ELSE ' whole ' END
                || (SELECT group_concat(x.name, ',') FROM pragma_index_info(i.name) x)
             FROM sqlite_master m JOIN pragma_index_list(m.name) i
             WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'",
        ],
    )
    .await;
    let right = catalog(
        &postgres.store,
        [
            "SELECT ('column ' || c.table_name || '.' || c.column_name
                || CASE WHEN c.is_nullable = 'NO' THEN ' not null' ELSE ' null' END)::text
             FROM information_schema.columns c WHERE c.table_schema = current_schema()",
            "SELECT ('index ' || t.relname || ' ' || CASE WHEN i.indisunique THEN 'unique' ELSE 'plain' END
                || CASE WHEN i.indpred IS NOT NULL THEN ' partial ' ELSE ' whole ' END
                || (SELECT string_agg(a.attname, ',' ORDER BY k.place)
                    FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, place)
                    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum))::text
             FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
             WHERE t.relnamespace = current_schema()::regnamespace AND NOT (i.indisprimary AND i.indnatts = 1
                AND EXISTS (SELECT 1 FROM pg_attribute a
                            WHERE a.attrelid = t.oid AND a.attnum = i.indkey[0] AND a.attidentity <> ''))",
        ],
    )
    .await;
    // An integer primary key of SQLite has no index: the table is one. Both sides leave those out where ids are
    // generated; other single BIGINT keys (owner, policy, iceberg_table, authority) are indexes on both.
    assert!(left.len() > 100, "{left:?}");
    let only_left: Vec<_> = left.difference(&right).collect();
    let only_right: Vec<_> = right.difference(&left).collect();
    assert!(
        only_left.is_empty() && only_right.is_empty(),
        "only on sqlite: {only_left:#?}\nonly on postgres: {only_right:#?}"
    );
    postgres.end().await;
}
