// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What PyIceberg and Spark do, in the order in which they do it.

use lakeward_metadata::data_type::DataType;
use lakeward_metadata::table::{Column, ColumnPosition, TableChange, TableDefinition};

use super::*;

#[tokio::test]
async fn a_staged_table_exists_only_after_its_commit() {
    let bench = Bench::new();
    let staged = bench.tables().plan_create(&place("st"), &creation()).unwrap();
    let found = metadata(&staged);
    assert!(
        matches!(
            bench.tables().load(MetadataFile::at(&location(&staged))).await,
            Err(CatalogError::MetadataMissing(_))
        ),
        "nothing was written"
    );
    let commit = IcebergCommit {
        requirements: vec![json!({"type": "assert-create"})],
        updates: vec![
            json!({"action": "assign-uuid", "uuid": found["table-uuid"]}),
            json!({"action": "upgrade-format-version", "format-version": 2}),
            json!({"action": "add-schema", "schema": found["schemas"][0], "last-column-id": 3}),
            json!({"action": "set-current-schema", "schema-id": -1}),
            json!({"action": "add-spec", "spec": found["partition-specs"][0]}),
            json!({"action": "set-default-spec", "spec-id": -1}),
            json!({"action": "add-sort-order", "sort-order": found["sort-orders"][0]}),
            json!({"action": "set-default-sort-order", "sort-order-id": -1}),
            json!({"action": "set-location", "location": found["location"]}),
            json!({"action": "set-properties", "updates": found["properties"]}),
            bench.snapshot("st", 1, None, 1, "append"),
            set_main(1),
        ],
    };
    let planned = bench
        .tables()
        .plan_commit(&place("st"), None, &commit)
        .await
        .unwrap();
    assert!(planned.location_is_new);
    let created = metadata(&planned);
    for member in [
        "table-uuid",
        "schemas",
        "partition-specs",
        "sort-orders",
        "location",
        "properties",
    ] {
        assert_eq!(created[member], found[member], "{member}");
    }
    assert_eq!(created["current-snapshot-id"], 1);
    assert_eq!(created["metadata-log"], json!([]));
    assert!(location(&planned).contains("/00000-"));

    let mut without = commit.clone();
    without.requirements.clear();
    let error = bench
        .tables()
        .plan_commit(&place("st"), None, &without)
        .await
        .unwrap_err();
    assert!(matches!(error, CatalogError::Invalid(_)), "{error}");
    let mut foreign = commit;
    foreign.updates[8] = json!({"action": "set-location", "location": "file:///etc/passwd.d/x"});
    let error = bench
        .tables()
        .plan_commit(&place("st"), None, &foreign)
        .await
        .unwrap_err();
    assert!(matches!(error, CatalogError::LocationRefused(_)), "{error}");
}

#[tokio::test]
async fn a_created_table_may_make_its_schema_current_last() {
    let bench = Bench::new();
    let staged = bench.tables().plan_create(&place("st"), &creation()).unwrap();
    let found = metadata(&staged);
    let mut commit = IcebergCommit {
        requirements: vec![json!({"type": "assert-create"})],
        updates: vec![
            json!({"action": "assign-uuid", "uuid": found["table-uuid"]}),
            json!({"action": "add-schema", "schema": found["schemas"][0], "last-column-id": 3}),
            json!({"action": "add-spec", "spec": {"fields": [
                {"source-id": 1, "field-id": 1000, "transform": "identity", "name": "part"}]}}),
            json!({"action": "set-default-spec", "spec-id": -1}),
            json!({"action": "add-sort-order", "sort-order": {"order-id": 1, "fields": [
                {"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-first"}]}}),
            json!({"action": "set-default-sort-order", "sort-order-id": -1}),
            json!({"action": "set-location", "location": found["location"]}),
            json!({"action": "set-current-schema", "schema-id": 0}),
        ],
    };
    let planned = bench
        .tables()
        .plan_commit(&place("st"), None, &commit)
        .await
        .unwrap();
    let created = metadata(&planned);
    assert_eq!(created["current-schema-id"], 0);
    assert_eq!(created["partition-specs"][0]["fields"][0]["source-id"], 1);
    assert_eq!(created["sort-orders"][0]["fields"][0]["source-id"], 1);

    commit.updates[2] = json!({"action": "add-spec", "spec": {"fields": [
        {"source-id": 77, "field-id": 1000, "transform": "identity", "name": "part"}]}});
    let error = bench
        .tables()
        .plan_commit(&place("st"), None, &commit)
        .await
        .unwrap_err();
    assert!(matches!(error, CatalogError::Invalid(_)), "{error}");
}

#[tokio::test]
async fn a_lost_race_leaves_no_file() {
    let bench = Bench::new();
    let at = bench.create("t").await;
    let planned = bench
        .plan(
            &at,
            json!([]),
            json!([{"action": "set-properties", "updates": {"a": "1"}}]),
        )
        .await
        .unwrap();
    bench.tables().write(&planned).await.unwrap();
    assert!(matches!(
        bench.tables().write(&planned).await,
        Err(CatalogError::FileExists(_))
    ));
    bench.tables().discard(&planned).await;
    assert!(matches!(
        bench.tables().load(MetadataFile::at(&location(&planned))).await,
        Err(CatalogError::MetadataMissing(_))
    ));
    assert!(bench.tables().load(MetadataFile::at(&at)).await.is_ok());
}

#[tokio::test]
async fn native_tables_go_both_ways() {
    let bench = Bench::new();
    let mut definition = TableDefinition::of_columns(vec![
        Column {
            nullable: false,
            comment: Some("pk".to_owned()),
            ..Column::nullable("id", DataType::Long)
        },
        Column::nullable(
            "amount",
            DataType::Decimal {
                precision: 10,
                scale: 2,
            },
        ),
        Column::nullable("ts", DataType::TimestampTz(None)),
    ]);
    definition.comment = Some("orders".to_owned());
    let planned = bench
        .tables()
        .plan_create_native(&place("t"), &definition)
        .unwrap();
    bench.tables().write(&planned).await.unwrap();
    let at = location(&planned);
    let change = |changes: Vec<TableChange>| {
        let bench = &bench;
        let at = at.clone();
        async move {
            bench
                .tables()
                .plan_alter_native(&place("t"), MetadataFile::at(&at), &changes)
                .await
        }
    };
    let field = |name: &str| vec![name.to_owned()];
    let altered = change(vec![
        TableChange::AddColumn {
            field: field("note"),
            data_type: DataType::String,
            comment: Some("n".to_owned()),
            position: ColumnPosition::After("id".to_owned()),
            nullable: true,
            auto_increment: false,
            default_value: None,
        },
        TableChange::RenameColumn {
            field: field("ts"),
            new_name: "at".to_owned(),
        },
        TableChange::UpdateColumnType {
            field: field("amount"),
            data_type: DataType::Decimal {
                precision: 12,
                scale: 2,
            },
        },
        TableChange::UpdateComment(Some("orders2".to_owned())),
        TableChange::SetProperty {
            property: "a".to_owned(),
            value: "b".to_owned(),
        },
    ])
    .await
    .unwrap();
    let described = altered
        .table
        .map_ref(|table| bench.tables().describe(table))
        .unwrap();
    let columns: Vec<String> = described
        .columns
        .iter()
        .map(|column| format!("{}:{}", column.name, column.data_type))
        .collect();
    assert_eq!(
        columns,
        [
            "id:long",
            "note:string",
            "amount:decimal(12,2)",
            "at:timestamp_tz(6)"
        ]
    );
    assert_eq!(described.comment.as_deref(), Some("orders2"));
    let shown: Vec<&str> = described.properties.keys().map(String::as_str).collect();
    assert_eq!(
        shown,
        [
            "a",
            "current-snapshot-id",
            "format",
            "format-version",
            "location",
            "provider",
            "write.distribution-mode",
            "write.parquet.compression-codec"
        ]
    );
    let refused = |changes: Vec<TableChange>, part: &'static str| {
        let outcome = change(changes);
        async move {
            let error = outcome.await.unwrap_err().to_string();
            assert!(error.contains(part), "{error} should contain {part}");
        }
    };
    refused(
        vec![TableChange::UpdateColumnType {
            field: field("amount"),
            data_type: DataType::Integer,
        }],
        "cannot change column type: amount: decimal(10,2) -> int",
    )
    .await;
    refused(
        vec![TableChange::DeleteColumn {
            field: field("zzz"),
            if_exists: false,
        }],
        "delete column not exists: zzz",
    )
    .await;
    refused(
        vec![TableChange::SetProperty {
            property: "location".to_owned(),
            value: "x".to_owned(),
        }],
        "immutable",
    )
    .await;
    let nothing = change(vec![TableChange::DeleteColumn {
        field: field("zzz"),
        if_exists: true,
    }])
    .await;
    assert!(nothing.is_ok());
}

#[tokio::test]
async fn the_contract_is_fulfilled() {
    let bench = Bench::new();
    lakeward_catalog::conformance::check(bench.tables())
        .await
        .unwrap();
}
