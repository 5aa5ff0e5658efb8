# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Whoever sees a table only in part changes nothing of it through an ordinary engine, and only appends through a trusted
reader.

That nothing changed means: every file that lay in the warehouse before is still there with the same bytes; the table
has the same metadata file and the same metadata; nothing new is metadata of a table. Data files and manifests that an
engine wrote before it asked to commit may stay behind, as after every refused commit: nothing names them.
"""

import json

import pytest
import requests

from harness.engines import ENGINES, engine
from harness.files import digests
from harness.forwarder import Forwarder
from harness.lake import CAPABILITY, CAPABILITY_HEADER, CATALOG
from harness.query import Reader
from harness.server import PASSWORD

ROWS = [(1, "Oslo"), (2, "Bergen"), (3, "Oslo")]
MORE = [(4, "Bergen"), (5, "Tromsø")]
# Where engines commit that commit to several tables at once, or might.
TRANSACTION = "/transactions/commit"


@pytest.fixture(scope="module")
def lake(embedded_lake):
    embedded_lake.add_user("ann")
    embedded_lake.add_writers("ann")
    embedded_lake.pyiceberg().create_namespace("towns")
    return embedded_lake


@pytest.fixture(scope="module")
def reader(lake, tmp_path_factory):
    return Reader(lake.server, tmp_path_factory.mktemp("reader"))


@pytest.fixture(params=ENGINES)
def run(request):
    return engine(request.param)


class Table:
    """A table with three rows, and a policy that would leave one of them visible."""

    def __init__(self, lake, run, purpose):
        self.lake = lake
        self.name = f"{run.__name__.rpartition('.')[2]}_{purpose}"
        self.path = f"/tables/{self.name}"
        self.full_name = f"towns.{self.name}"
        with run.connect(lake.server.iceberg, "ann") as session:
            session.create(self.full_name)
            session.append(self.full_name, ROWS)
        lake.add_tag(self.name)
        lake.assign("table", f"{CATALOG}.{self.full_name}", self.name)
        lake.add_policy(self.name, "row_filter", 'filter := col("name") == "Bergen"', self.name, enable=False)

    def restrict(self, restrict=True):
        self.lake.enable_policy(self.name, restrict)

    def state(self):
        """The files of the warehouse by content, and the table as an unrestricted load shows it."""
        url = f"{self.lake.server.iceberg}/v1/{CATALOG}/namespaces/towns{self.path}"
        answer = requests.get(url, auth=("ann", PASSWORD), timeout=60)
        assert answer.status_code == 200, answer.text
        loaded = answer.json()
        files = digests(self.lake.server.folder / "data" / "warehouse")
        return files, (loaded["metadata-location"], loaded["metadata"])

    def assert_unchanged(self, before):
        """Lifts the restriction and compares; see the head of this file for what."""
        self.restrict(False)
        files, table = self.state()
        files_before, table_before = before
        assert {path: files.get(path) for path in files_before} == files_before
        assert table == table_before
        new = set(files) - set(files_before)
        assert not [path for path in new if path.endswith(".metadata.json")]
        # And nothing that the table consists of names a new file.
        named = json.dumps(table)
        assert not [path for path in new if path.rpartition("/")[2] in named]


def test_writes_of_a_restricted_table_are_refused(lake, run):
    table = Table(lake, run, "writes")
    before = table.state()
    assert before[0]
    table.restrict()
    with Forwarder(lake.server.iceberg) as wire, run.connect(wire.url, "ann") as session:
        for write in [
            lambda: session.append(table.full_name, MORE),
            lambda: session.delete(table.full_name, 1),
        ]:
            with pytest.raises(Exception, match=CAPABILITY):
                write()
        assert set(wire.statuses("GET", table.path)) == {406}
        assert not wire.statuses("POST", table.path, TRANSACTION)
    table.assert_unchanged(before)


@pytest.mark.slow
def test_no_statement_of_spark_changes_a_restricted_table(lake):
    run = engine("spark")
    table = Table(lake, run, "statements")
    files, (location, metadata) = table.state()
    table.restrict()
    with Forwarder(lake.server.iceberg) as wire, run.connect(wire.url, "ann") as session:
        name = session.name(table.full_name)
        for statement in [
            f"INSERT INTO {name} SELECT * FROM {name}",
            f"INSERT OVERWRITE {name} VALUES (9, 'Vadsø')",
            f"UPDATE {name} SET name = 'Vadsø'",
            f"DELETE FROM {name}",
            f"MERGE INTO {name} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
            f"ALTER TABLE {name} ADD COLUMN more INT",
            f"ALTER TABLE {name} SET TBLPROPERTIES ('p' = 'q')",
            f"CREATE OR REPLACE TABLE {name} (id BIGINT) USING iceberg",
            f"CALL {session.catalog}.system.rollback_to_snapshot('{table.full_name}', "
            f"{metadata['snapshots'][0]['snapshot-id']})",
            f"CALL {session.catalog}.system.rewrite_data_files('{table.full_name}')",
            f"CALL {session.catalog}.system.expire_snapshots(table => '{table.full_name}', retain_last => 1)",
        ]:
            # A few ask with HEAD first, whose answer has no message.
            with pytest.raises(Exception, match="code: 406"):
                session.sql(statement)
        assert not [
            exchange for exchange in wire.exchanges if exchange.method in ("POST", "DELETE") and exchange.status < 400
        ]
    table.assert_unchanged((files, (location, metadata)))


def test_a_restriction_that_comes_between_load_and_commit_refuses_the_commit(lake, run):
    table = Table(lake, run, "raced")
    before = table.state()
    asked = []

    def restrict_before_commit(method, path):
        if path.partition("?")[0].endswith((table.path, TRANSACTION)):
            asked.append(method)
            if method == "POST":
                table.restrict()

    with Forwarder(lake.server.iceberg) as wire, run.connect(wire.url, "ann") as session:
        for write in [
            lambda: session.append(table.full_name, MORE),
            lambda: session.delete(table.full_name, 1),
        ]:
            wire.before = restrict_before_commit
            asked.clear()
            with pytest.raises(Exception, match=CAPABILITY):
                write()
            # It was loaded unrestricted, and the commit came afterwards.
            assert asked[0] == "GET" and "POST" in asked
            assert wire.statuses("GET", table.path)[0] == 200
            assert set(wire.statuses("POST", table.path, TRANSACTION)) == {406}
            table.restrict(False)
            wire.before = lambda method, path: None
        table.assert_unchanged(before)
        # The same session may go on once the restriction is lifted.
        session.append(table.full_name, MORE)
        assert session.rows(table.full_name) == ROWS + MORE


def test_through_a_trusted_reader_a_restricted_user_appends_and_no_more(lake, run, reader):
    table = Table(lake, run, "trusted")
    table.restrict()
    trusted = Forwarder(f"{lake.server.reader}/iceberg", {CAPABILITY_HEADER: CAPABILITY}, identity=reader.identity)
    with trusted as wire, run.connect(wire.url, "ann") as session:
        session.append(table.full_name, MORE)
        assert wire.statuses("POST", table.path, TRANSACTION)[0] in (200, 204)
        visible = f"SELECT id, name FROM {CATALOG}.{table.full_name} ORDER BY id"
        shown = reader.query("ann", visible).to_pylist()
        assert shown == [{"id": 2, "name": "Bergen"}, {"id": 4, "name": "Bergen"}]
        table.restrict(False)
        before = table.state()
        table.restrict()
        with pytest.raises(Exception, match="restriction-write"):
            session.delete(table.full_name, 1)
        assert wire.statuses("POST", table.path, TRANSACTION)[-1] == 403
    table.assert_unchanged(before)
