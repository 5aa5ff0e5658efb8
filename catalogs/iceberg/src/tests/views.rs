// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! Views through the provider's contract.

use lakeward_catalog::error::CatalogError;
use lakeward_catalog::metadata_file::MetadataFile;
use lakeward_catalog::table_catalog::IcebergCommit;
use lakeward_catalog::view_catalog::{DescribedView, IcebergViewCreation, PlannedView, ViewPlace};
use lakeward_metadata::Properties;
use lakeward_metadata::data_type::DataType;
use lakeward_metadata::table::Column;
use lakeward_metadata::view::{ViewBody, ViewChange, ViewRepresentation};
use serde_json::{Value, json};

use super::{Bench, place};

fn creation() -> IcebergViewCreation {
    IcebergViewCreation {
        schema: json!({"type": "struct", "schema-id": 7, "fields": [
            {"id": 3, "name": "id", "required": false, "type": "long"}]}),
        location: None,
        view_version: json!({
            "version-id": 1, "timestamp-ms": 1_700_000_000_000_i64, "schema-id": 7, "summary": {"engine": "spark"},
            "representations": [{"type": "sql", "sql": "select id from t", "dialect": "spark"},
                                {"type": "other", "plan": {"kept": true}}],
            "default-catalog": "ice", "default-namespace": ["n1"], "of-the-future": 1}),
        properties: Properties::from([("comment".to_owned(), "c".to_owned())]),
    }
}

fn json_of(planned: &PlannedView) -> Value {
    serde_json::from_str(planned.view.metadata.json.get()).unwrap()
}

async fn create(bench: &Bench) -> String {
    let planned = bench.views().plan_create_view(&place("v"), &creation()).unwrap();
    bench.views().write_view(&planned).await.unwrap();
    planned.view.metadata_location
}

async fn plan(
    bench: &Bench,
    base: &str,
    requirements: Value,
    updates: Value,
) -> Result<Option<PlannedView>, CatalogError> {
    let commit = IcebergCommit {
        requirements: requirements.as_array().unwrap().clone(),
        updates: updates.as_array().unwrap().clone(),
    };
    bench
        .views()
        .plan_replace_view(MetadataFile::at(base), &commit)
        .await
}

async fn commit(bench: &Bench, base: &str, updates: Value) -> (String, Value) {
    let planned = plan(bench, base, json!([]), updates).await.unwrap().unwrap();
    bench.views().write_view(&planned).await.unwrap();
    let metadata = json_of(&planned);
    (planned.view.metadata_location, metadata)
}

fn version(id: i32, dialect: &str, sql: &str) -> Value {
    json!({"version-id": id, "timestamp-ms": 1_700_000_000_001_i64, "schema-id": 0, "summary": {},
           "representations": [{"type": "sql", "sql": sql, "dialect": dialect}], "default-namespace": ["n1"]})
}

#[tokio::test]
async fn a_new_view_is_what_was_asked_for() {
    let bench = Bench::new();
    let base = create(&bench).await;
    let loaded = bench.views().load_view(MetadataFile::at(&base)).await.unwrap();
    let metadata: Value = serde_json::from_str(loaded.metadata.json.get()).unwrap();
    assert_eq!(metadata["format-version"], 1);
    assert_eq!(metadata["location"], format!("{}/ns/v", bench.warehouse()));
    assert_eq!(metadata["current-version-id"], 1);
    assert_eq!(metadata["schemas"][0]["schema-id"], 0);
    // The fields keep their ids: nothing was written under them.
    assert_eq!(metadata["schemas"][0]["fields"][0]["id"], 3);
    let mut version = creation().view_version;
    version["schema-id"] = json!(0);
    assert_eq!(metadata["versions"], json!([version]));
    assert_eq!(
        metadata["version-log"],
        json!([{"timestamp-ms": 1_700_000_000_000_i64, "version-id": 1}])
    );
    assert_eq!(metadata["properties"], json!({"comment": "c"}));
    assert_eq!(metadata["view-uuid"], loaded.metadata.facts.uuid);
}

#[tokio::test]
async fn versions_follow_each_other_and_come_back() {
    let bench = Bench::new();
    let base = create(&bench).await;
    let uuid = bench
        .views()
        .load_view(MetadataFile::at(&base))
        .await
        .unwrap()
        .metadata
        .facts
        .uuid
        .clone();
    let right = json!([{"type": "assert-view-uuid", "uuid": uuid}]);
    let wrong = json!([{"type": "assert-view-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}]);
    let next = json!([
        {"action": "add-schema", "schema": {"type": "struct", "schema-id": 0, "fields": [
            {"id": 1, "name": "n", "required": false, "type": "string"}]}},
        {"action": "add-view-version", "view-version": {
            "version-id": 1, "timestamp-ms": 5, "schema-id": -1, "summary": {},
            "representations": [{"type": "sql", "sql": "select n from t", "dialect": "SPARK"}],
            "default-namespace": []}},
        {"action": "set-current-view-version", "view-version-id": -1}]);
    let error = plan(&bench, &base, wrong, next.clone()).await.unwrap_err();
    assert!(matches!(error, CatalogError::RequirementFailed(_)), "{error}");
    let planned = plan(&bench, &base, right, next.clone()).await.unwrap().unwrap();
    bench.views().write_view(&planned).await.unwrap();
    let metadata = json_of(&planned);
    assert_eq!(metadata["current-version-id"], 2);
    assert_eq!(metadata["versions"][1]["schema-id"], 1);
    assert_eq!(
        metadata["version-log"][1],
        json!({"timestamp-ms": 5, "version-id": 2})
    );
    assert!(planned.view.metadata_location.contains("/00001-"));
    // The same once more changes nothing.
    let base = planned.view.metadata_location;
    assert!(plan(&bench, &base, json!([]), next).await.unwrap().is_none());
    // The first again, at the time of now.
    let back = json!([{"action": "set-current-view-version", "view-version-id": 1}]);
    let (_, metadata) = commit(&bench, &base, back).await;
    assert_eq!(metadata["current-version-id"], 1);
    assert_eq!(metadata["versions"].as_array().unwrap().len(), 2);
    assert_eq!(metadata["version-log"].as_array().unwrap().len(), 3);
    assert!(metadata["version-log"][2]["timestamp-ms"].as_i64().unwrap() > 1_700_000_000_001);
}

#[tokio::test]
async fn a_dialect_is_lost_only_where_the_view_allows_it() {
    let bench = Bench::new();
    let base = create(&bench).await;
    let change = json!([
        {"action": "add-view-version", "view-version": version(2, "trino", "select 1")},
        {"action": "set-current-view-version", "view-version-id": -1}]);
    let error = plan(&bench, &base, json!([]), change.clone()).await.unwrap_err();
    assert!(error.to_string().contains("`spark`"), "{error}");
    let allow = json!({"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}});
    let mut allowed = change.as_array().unwrap().clone();
    allowed.push(allow);
    let (_, metadata) = commit(&bench, &base, Value::Array(allowed)).await;
    assert_eq!(metadata["current-version-id"], 2);
}

#[tokio::test]
async fn old_versions_go_and_the_log_begins_after_the_gap() {
    let bench = Bench::new();
    let mut base = create(&bench).await;
    let keep = json!([{"action": "set-properties", "updates": {"version.history.num-entries": "2"}}]);
    base = commit(&bench, &base, keep).await.0;
    let mut metadata = Value::Null;
    for id in 2..5 {
        let change = json!([
            {"action": "add-view-version", "view-version": version(id, "spark", &format!("select {id}"))},
            {"action": "set-current-view-version", "view-version-id": id}]);
        (base, metadata) = commit(&bench, &base, change).await;
    }
    let ids = |list: &str| -> Vec<i64> {
        metadata[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|element| element["version-id"].as_i64().unwrap())
            .collect()
    };
    assert_eq!(ids("versions"), [3, 4]);
    assert_eq!(ids("version-log"), [3, 4]);
    let none = json!([{"action": "set-properties", "updates": {"version.history.num-entries": "0"}}]);
    let error = plan(&bench, &base, json!([]), none).await.unwrap_err();
    assert!(error.to_string().contains("positive"), "{error}");
}

#[tokio::test]
async fn what_makes_no_view_is_refused_by_name() {
    let bench = Bench::new();
    let base = create(&bench).await;
    let mut twice = version(2, "spark", "select 1");
    let one = twice["representations"][0].clone();
    let mut other = one.clone();
    other["dialect"] = json!("Spark");
    twice["representations"] = json!([one, other]);
    let mut none = version(2, "spark", "select 1");
    none["representations"] = json!([]);
    let mut lost = version(2, "spark", "select 1");
    lost["schema-id"] = json!(9);
    let mut early = version(2, "spark", "select 1");
    early["timestamp-ms"] = json!(-1);
    for (update, expected) in [
        (
            json!({"action": "add-view-version", "view-version": twice}),
            "multiple queries for dialect spark",
        ),
        (
            json!({"action": "add-view-version", "view-version": none}),
            "`representations`",
        ),
        (
            json!({"action": "add-view-version", "view-version": lost}),
            "schema with id 9",
        ),
        (
            json!({"action": "add-view-version", "view-version": early}),
            "timestamp-ms",
        ),
        (
            json!({"action": "set-current-view-version", "view-version-id": 4}),
            "no view version 4",
        ),
        (
            json!({"action": "set-current-view-version", "view-version-id": -1}),
            "no view version was added",
        ),
        (
            json!({"action": "assign-uuid", "uuid": "00000000-0000-0000-0000-000000000000"}),
            "cannot be changed",
        ),
        (
            json!({"action": "upgrade-format-version", "format-version": 2}),
            "format version 2",
        ),
        (
            json!({"action": "set-properties", "updates": {"a": 1}}),
            "no text",
        ),
        (
            json!({"action": "set-location", "location": "s3://elsewhere/v"}),
            "neither inside the warehouse",
        ),
        (
            json!({"action": "add-snapshot", "snapshot": {}}),
            "not a known update of a view",
        ),
    ] {
        let error = plan(&bench, &base, json!([]), json!([update])).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error} lacks {expected}");
    }
    let error = plan(&bench, &base, json!([{"type": "assert-create"}]), json!([]))
        .await
        .unwrap_err();
    assert!(matches!(error, CatalogError::Unsupported(_)), "{error}");
}

#[tokio::test]
async fn a_location_is_stored_as_its_owner_spelled_it() {
    let bench = Bench::new();
    let spelled = format!("file:{}/w/chosen/v/", bench.folder.path().display());
    let mut chosen = creation();
    chosen.location = Some(spelled.clone());
    let planned = bench.views().plan_create_view(&place("v"), &chosen).unwrap();
    assert_eq!(json_of(&planned)["location"], spelled.trim_end_matches('/'));
    assert_eq!(
        planned.view.metadata.facts.location,
        format!("{}/chosen/v", bench.warehouse())
    );
    bench.views().write_view(&planned).await.unwrap();
    // Another spelling is another text of the same place.
    let base = planned.view.metadata_location;
    let location = format!("{}/chosen/v", bench.warehouse());
    let moved = json!([{"action": "set-location", "location": location}]);
    let planned = plan(&bench, &base, json!([]), moved).await.unwrap().unwrap();
    assert!(!planned.location_is_new);
}

#[tokio::test]
async fn a_dropped_view_is_registered_again_and_a_table_is_no_view() {
    let bench = Bench::new();
    let base = create(&bench).await;
    let planned = bench.views().plan_register_view(&base).await.unwrap();
    assert!(planned.file_exists);
    bench.views().discard_view(&planned).await;
    assert!(
        bench.views().load_view(MetadataFile::at(&base)).await.is_ok(),
        "a registered file is nobody's to discard"
    );
    let table = bench.create("t").await;
    let error = bench.views().plan_register_view(&table).await.unwrap_err();
    assert!(
        error.to_string().contains("not a valid metadata file of a view"),
        "{error}"
    );
    let error = bench.tables().plan_register(&base).await.unwrap_err();
    assert!(error.to_string().contains("not a valid metadata file"), "{error}");
    // A file that says that the view lies elsewhere.
    let text = std::fs::read_to_string(base.trim_start_matches("file://")).unwrap();
    let foreign = text.replace("/ns/v\"", "/ns/other\"");
    assert_ne!(foreign, text);
    let folder = bench.folder.path().join("w/ns/v/metadata/foreign.json");
    std::fs::write(&folder, foreign).unwrap();
    let error = bench
        .views()
        .plan_register_view(&format!("file://{}", folder.display()))
        .await
        .unwrap_err();
    assert!(matches!(error, CatalogError::LocationRefused(_)), "{error}");
}

fn body(sql: &str) -> ViewBody {
    ViewBody {
        comment: Some("why".to_owned()),
        columns: vec![Column {
            name: "id".to_owned(),
            data_type: DataType::Long,
            comment: None,
            nullable: true,
            auto_increment: false,
            default_value: None,
        }],
        representations: vec![ViewRepresentation {
            dialect: "spark".to_owned(),
            sql: sql.to_owned(),
        }],
        default_catalog: Some("ice".to_owned()),
        default_schema: Some("a:b".to_owned()),
    }
}

#[tokio::test]
async fn native_views_go_both_ways() {
    let bench = Bench::new();
    let stand = place("v");
    let at = ViewPlace {
        place: &stand,
        separator: ":",
    };
    let described = DescribedView {
        body: body("select 1"),
        properties: Properties::from([("k".to_owned(), "v".to_owned())]),
    };
    let planned = bench.views().plan_create_view_native(at, &described).unwrap();
    assert_eq!(
        bench.views().describe_view(&planned.view, ":").unwrap(),
        described
    );
    assert_eq!(
        json_of(&planned)["versions"][0]["default-namespace"],
        json!(["a", "b"])
    );
    bench.views().write_view(&planned).await.unwrap();
    let replaced = ViewBody {
        comment: None,
        default_schema: None,
        default_catalog: None,
        ..body("select 2")
    };
    let changes = [
        ViewChange::RemoveProperty("k".to_owned()),
        ViewChange::Replace(replaced.clone()),
        ViewChange::SetProperty {
            property: "l".to_owned(),
            value: "w".to_owned(),
        },
    ];
    let base = planned.view.metadata_location.as_str();
    let planned = bench
        .views()
        .plan_alter_view_native(at, MetadataFile::at(base), &changes)
        .await
        .unwrap()
        .unwrap();
    let after = bench.views().describe_view(&planned.view, ":").unwrap();
    // Who names no schema keeps the one that the view has.
    let expected = ViewBody {
        default_schema: Some("a:b".to_owned()),
        ..replaced
    };
    assert_eq!(after.body, expected);
    assert_eq!(
        after.properties,
        Properties::from([("l".to_owned(), "w".to_owned())])
    );
    let location = [ViewChange::SetProperty {
        property: "location".to_owned(),
        value: "s3://b/x".to_owned(),
    }];
    assert!(
        bench
            .views()
            .plan_alter_view_native(at, MetadataFile::at(base), &location)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_lost_race_leaves_no_file() {
    let bench = Bench::new();
    let planned = bench.views().plan_create_view(&place("v"), &creation()).unwrap();
    bench.views().write_view(&planned).await.unwrap();
    let again = bench.views().write_view(&planned).await.unwrap_err();
    assert!(matches!(again, CatalogError::FileExists(_)), "{again}");
    bench.views().discard_view(&planned).await;
    let error = bench
        .views()
        .load_view(MetadataFile::at(&planned.view.metadata_location))
        .await
        .unwrap_err();
    assert!(matches!(error, CatalogError::MetadataMissing(_)), "{error}");
}
