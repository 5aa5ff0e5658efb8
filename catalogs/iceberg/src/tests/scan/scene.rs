// Copyright 2026 The Lakeward Authors
// SPDX-License-Identifier: Apache-2.0

//! A table whose files are only told of.

use super::*;

/// A table of format version 2 or 3 whose snapshots are made of files that are only told of.
pub(crate) struct Scene {
    bench: Bench,
    at: String,
    schema: SchemaRef,
    spec: PartitionSpecRef,
    version: u8,
    manifests: u32,
    pub(crate) snapshots: Vec<(i64, Vec<ManifestFile>)>,
}

impl Scene {
    pub(crate) async fn new(version: u8, schema: Value, fields: Value) -> Self {
        let bench = Bench::new();
        let creation = IcebergTableCreation {
            schema,
            location: None,
            partition_spec: Some(json!({"spec-id": 0, "fields": fields})),
            write_order: None,
            properties: Properties::from([("format-version".to_owned(), version.to_string())]),
        };
        let planned = bench.tables().plan_create(&place("t"), &creation).unwrap();
        bench.tables().write(&planned).await.unwrap();
        let at = location(&planned);
        let metadata = bench.metadata(&at).await;
        let schema: Schema = serde_json::from_value(metadata["schemas"][0].clone()).unwrap();
        let spec: UnboundPartitionSpec =
            serde_json::from_value(metadata["partition-specs"][0].clone()).unwrap();
        let schema = Arc::new(schema);
        let spec: PartitionSpec = spec.bind(Arc::clone(&schema)).unwrap();
        Self {
            bench,
            at,
            schema,
            spec: Arc::new(spec),
            version,
            manifests: 0,
            snapshots: Vec::new(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}/ns/t/data/{name}", self.bench.warehouse())
    }

    pub(crate) fn file(
        &self,
        content: DataContentType,
        name: &str,
        partition: impl IntoIterator<Item = Option<Literal>>,
    ) -> DataFileBuilder {
        let mut file = DataFileBuilder::default();
        file.content(content)
            .file_path(self.path(name))
            .file_format(DataFileFormat::Parquet)
            .partition(Struct::from_iter(partition))
            .partition_spec_id(0)
            .record_count(10)
            .file_size_in_bytes(100);
        file
    }

    /// Writes a manifest of files that a snapshot adds.
    pub(crate) async fn manifest(&mut self, snapshot: i64, files: Vec<DataFile>) -> ManifestFile {
        self.manifests += 1;
        let path = format!(
            "{}/ns/t/metadata/m{}.avro",
            self.bench.warehouse(),
            self.manifests
        );
        let output = FileIO::new_with_fs().new_output(path).unwrap();
        let spec = self.spec.as_ref().clone();
        let builder = ManifestWriterBuilder::new(output, Some(snapshot), Arc::clone(&self.schema), spec);
        let is_data = files
            .iter()
            .all(|file| file.content_type() == DataContentType::Data);
        let mut writer = match (self.version, is_data) {
            (2, true) => builder.build_v2_data(),
            (2, false) => builder.build_v2_deletes(),
            (_, true) => builder.build_v3_data(),
            (_, false) => builder.build_v3_deletes(),
        };
        for file in files {
            writer.add_file(file, -1).unwrap();
        }
        writer.write_manifest_file().await.unwrap()
    }

    /// Commits a snapshot of these manifests and those before it; its number is its sequence number.
    pub(crate) async fn commit(&mut self, operation: &str, new: Vec<ManifestFile>) {
        let sequence = i64::try_from(self.snapshots.len()).unwrap() + 1;
        let parent = self.snapshots.last().map(|(id, _)| *id);
        let path = format!("{}/ns/t/metadata/snap-{sequence}.avro", self.bench.warehouse());
        let output = FileIO::new_with_fs()
            .new_output(path)
            .unwrap()
            .writer()
            .await
            .unwrap();
        let mut writer = match self.version {
            2 => ManifestListWriter::v2(output, sequence, parent, sequence),
            _ => ManifestListWriter::v3(output, sequence, parent, sequence, Some(0)),
        };
        let assigned = |mut manifest: ManifestFile| {
            manifest.sequence_number = sequence;
            manifest.min_sequence_number = sequence;
            manifest
        };
        let before = self
            .snapshots
            .last()
            .map(|(_, manifests)| manifests.clone())
            .unwrap_or_default();
        writer
            .add_manifests(new.clone().into_iter().chain(before.clone()))
            .unwrap();
        writer.close().await.unwrap();
        let all = new.into_iter().map(assigned).chain(before).collect();
        self.snapshots.push((sequence, all));
        let mut snapshot = self.bench.snapshot("t", sequence, parent, sequence, operation);
        if self.version == 3 {
            snapshot["snapshot"]["first-row-id"] = json!(0);
            snapshot["snapshot"]["added-rows"] = json!(0);
        }
        let at = self
            .bench
            .commit(&self.at, json!([snapshot, set_main(sequence)]))
            .await;
        self.at = at;
    }

    async fn table(&self) -> LoadedTable {
        let loaded = self
            .bench
            .tables()
            .load(MetadataFile::at(&self.at))
            .await
            .unwrap();
        let (capabilities, trust) = (Capabilities::default(), Trust::Untrusted);
        let admitted = admit(loaded, ReadRestrictions::none(), &capabilities, &trust).unwrap();
        admitted.into_parts().0
    }

    pub(crate) async fn pin(&self, scan: &IcebergScan) -> Result<PinnedScan, CatalogError> {
        self.bench.tables().pin_scan(&self.table().await, scan)
    }

    pub(crate) async fn part(&self, pinned: &PinnedScan, part: ScanPart) -> Result<ScanTasks, CatalogError> {
        self.bench
            .tables()
            .scan_tasks(&self.table().await, pinned, part)
            .await
    }

    /// All tasks of a scan with the deletes of each, in the order of their paths.
    pub(crate) async fn tasks(&self, scan: &IcebergScan) -> Result<Vec<Planned>, CatalogError> {
        let pinned = self.pin(scan).await?;
        let mut parts = vec![ScanPart::default()];
        let mut found = Vec::new();
        while let Some(part) = parts.pop() {
            let tasks = self.part(&pinned, part).await?;
            let read =
                |raw: &serde_json::value::RawValue| -> Value { serde_json::from_str(raw.get()).unwrap() };
            let deletes: Vec<Value> = tasks.deletes.iter().map(|raw| read(raw)).collect();
            found.extend(tasks.tasks.iter().map(|raw| Planned::new(read(raw), &deletes)));
            parts.extend(tasks.rest);
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// The names of the files that a filter leaves.
    pub(crate) async fn names(&self, filter: Value) -> Vec<String> {
        let tasks = self.tasks(&filtered(filter)).await.unwrap();
        tasks.into_iter().map(|task| task.name).collect()
    }
}

/// A task as a client understands it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planned {
    pub(crate) name: String,
    pub(crate) deletes: Vec<String>,
    pub(crate) residual: Value,
    pub(crate) file: Value,
}

impl Planned {
    fn new(task: Value, deletes: &[Value]) -> Self {
        let name = |file: &Value| {
            file["file-path"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
                .to_owned()
        };
        let references = task["delete-file-references"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let referred = |place: Value| name(&deletes[usize::try_from(place.as_u64().unwrap()).unwrap()]);
        Self {
            name: name(&task["data-file"]),
            deletes: references.into_iter().map(referred).collect(),
            residual: task["residual-filter"].clone(),
            file: task["data-file"].clone(),
        }
    }
}
