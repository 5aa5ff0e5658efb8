// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! What a client writes before it commits: data file, manifest, manifest list, as PyIceberg and Spark do.

use std::sync::Arc;

use iceberg::io::FileIO;
use iceberg::spec::{
    DataContentType, DataFileBuilder, DataFileFormat, FormatVersion, ManifestList, ManifestListWriter,
    ManifestWriterBuilder, PartitionSpec, Schema, Struct,
};
use serde_json::{Value, json};

/// How the manifest list of a new snapshot treats the manifests before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeping {
    /// All of them are listed again.
    Everything,
    /// None is: the rows before are gone.
    Nothing,
}

/// Writes a snapshot with one new data file on the current one, and gives the commit for it. `operation` is what the
/// snapshot says of itself.
pub(crate) async fn write_snapshot(
    metadata: &Value,
    id: i64,
    operation: &str,
    keeping: Keeping,
    file: Option<&str>,
) -> Value {
    let location = metadata["location"].as_str().expect("a location");
    let data = match file {
        Some(path) => path.to_owned(),
        None => {
            let path = format!("{location}/data/{id}.parquet");
            write(&path, b"rows");
            path
        }
    };
    write_snapshot_of(metadata, id, operation, keeping, vec![data]).await
}

/// The same with these new data files.
pub(crate) async fn write_snapshot_of(
    metadata: &Value,
    id: i64,
    operation: &str,
    keeping: Keeping,
    files: Vec<String>,
) -> Value {
    let io = FileIO::new_with_fs();
    let location = metadata["location"].as_str().expect("a location");
    let parent = metadata["current-snapshot-id"].as_i64().filter(|id| *id != -1);
    let sequence = metadata["last-sequence-number"].as_i64().expect("a number") + 1;
    let data_file = |data: String| {
        DataFileBuilder::default()
            .content(DataContentType::Data)
            .file_path(data)
            .file_format(DataFileFormat::Parquet)
            .partition(Struct::empty())
            .partition_spec_id(0)
            .record_count(1)
            .file_size_in_bytes(4)
            .build()
            .expect("a data file")
    };
    let schema: Schema = serde_json::from_value(metadata["schemas"][0].clone()).expect("a schema");
    let manifest = format!("{location}/metadata/manifest-{id}.avro");
    let output = io.new_output(&manifest).expect("an output");
    let spec = PartitionSpec::unpartition_spec();
    let mut writer = ManifestWriterBuilder::new(output, Some(id), Arc::new(schema), spec).build_v2_data();
    for file in files {
        writer.add_file(data_file(file), -1).expect("an entry");
    }
    let mut manifests = vec![writer.write_manifest_file().await.expect("a manifest")];
    if keeping == Keeping::Everything {
        manifests.extend(manifests_of(metadata, parent));
    }
    let list = format!("{location}/metadata/snap-{id}.avro");
    let output = io
        .new_output(&list)
        .expect("an output")
        .writer()
        .await
        .expect("a writer");
    let mut writer = ManifestListWriter::v2(output, id, parent, sequence);
    writer.add_manifests(manifests.into_iter()).expect("manifests");
    writer.close().await.expect("a list");
    let now = metadata["last-updated-ms"].as_i64().expect("a time");
    json!({
        "requirements": [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": parent}],
        "updates": [
            {"action": "add-snapshot", "snapshot": {
                "snapshot-id": id, "parent-snapshot-id": parent, "sequence-number": sequence,
                "timestamp-ms": now + 1, "manifest-list": list, "schema-id": 0,
                "summary": {"operation": operation}}},
            {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": id}]
    })
}

fn manifests_of(metadata: &Value, snapshot: Option<i64>) -> Vec<iceberg::spec::ManifestFile> {
    let snapshots = metadata["snapshots"].as_array().cloned().unwrap_or_default();
    let Some(snapshot) = snapshots
        .iter()
        .find(|known| known["snapshot-id"].as_i64() == snapshot)
    else {
        return Vec::new();
    };
    let path = snapshot["manifest-list"]
        .as_str()
        .expect("a list")
        .trim_start_matches("file://");
    let content = std::fs::read(path).expect("a file");
    let list = ManifestList::parse_with_version(&content, FormatVersion::V2).expect("a list");
    list.consume_entries().into_iter().collect()
}

/// Writes a file with its folders.
pub(crate) fn write(location: &str, content: &[u8]) {
    let path = std::path::Path::new(location.trim_start_matches("file://"));
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    std::fs::write(path, content).expect("a file");
}
