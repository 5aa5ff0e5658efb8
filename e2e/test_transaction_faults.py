# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A transaction over several tables meets a failure at each place where it writes: the storage refuses the file of one
table, the database the pointer of one table, the database the commit. Every table then is as it was, byte for byte, and so is
every file; when the fault is gone the same transaction is made."""

import contextlib
import json
import sqlite3
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import requests

from harness import postgres
from harness.lake import CATALOG, Lake
from harness.server import ADMIN, PASSWORD

NAMES = ["t0", "t1", "t2"]
SCHEMA = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}]}


class Tables:
    """Three tables, and one transaction that changes all of them and makes a fourth."""

    def __init__(self, server, warehouse):
        self.server = server
        self.warehouse = warehouse
        Lake(server).create({"warehouse": warehouse.as_uri()})
        self.ask("POST", "namespaces", body={"namespace": ["n"]}, status=200)
        for name in NAMES:
            self.ask("POST", "namespaces/n/tables", body={"name": name, "schema": SCHEMA}, status=200)
        staged = {"name": "made", "schema": SCHEMA, "stage-create": True}
        self.staged = self.ask("POST", "namespaces/n/tables", body=staged, status=200)["metadata"]

    def ask(self, method, path, body=None, status=None):
        url = f"{self.server.iceberg}/v1/{CATALOG}/{path}"
        answer = requests.request(method, url, json=body, auth=(ADMIN, PASSWORD), timeout=120)
        if status is not None:
            assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def change(self, name, *updates, requirements=()):
        updates = [{"action": "set-properties", "updates": {"a": "1"}}, *updates]
        return {"identifier": {"namespace": ["n"], "name": name}, "requirements": [*requirements], "updates": updates}

    def creation(self):
        updates = [
            {"action": "assign-uuid", "uuid": self.staged["table-uuid"]},
            {"action": "upgrade-format-version", "format-version": 2},
            {"action": "add-schema", "schema": self.staged["schemas"][0]},
            {"action": "set-current-schema", "schema-id": -1},
            {"action": "set-location", "location": self.staged["location"]},
        ]
        identifier = {"namespace": ["n"], "name": "made"}
        return {"identifier": identifier, "requirements": [{"type": "assert-create"}], "updates": updates}

    def commit(self, changes):
        url = f"{self.server.iceberg}/v1/{CATALOG}/transactions/commit"
        return requests.post(url, json={"table-changes": changes}, auth=(ADMIN, PASSWORD), timeout=120)

    def state(self):
        """Every table as it is loaded."""
        listed = self.ask("GET", "namespaces/n/tables", status=200)["identifiers"]
        return {one["name"]: self.ask("GET", f"namespaces/n/tables/{one['name']}", status=200) for one in listed}

    def files(self):
        """Every file with its bytes."""
        return {path: path.read_bytes() for path in self.warehouse.rglob("*") if path.is_file()}

    def fails(self, changes, may_leave_files=False):
        """A transaction that fails and leaves everything as it was. Where nobody can say whether it was made, files that
        it wrote stay, since the database may yet point to them."""
        state, files = self.state(), self.files()
        answer = self.commit(changes)
        assert answer.status_code >= 500, answer.text
        assert "boom" not in answer.text, "what the database says is for the log"
        assert self.state() == state
        after = self.files()
        if may_leave_files:
            after = {path: content for path, content in after.items() if path in files}
        assert after == files


@pytest.fixture
def tables(own_server, tmp_path):
    return Tables(own_server, tmp_path / "warehouse")


def tables_and_creations(tables):
    """Transactions that only move pointers, and those that also make a table."""
    moves = [tables.change(name) for name in NAMES]
    return [moves, [*moves, tables.creation()]]


def test_the_storage_refuses_a_file(tables):
    # A file where a folder would have to be.
    blocked = tables.warehouse / "blocked"
    blocked.write_text("in the way")
    for position, name in enumerate(NAMES):
        move = {"action": "set-location", "location": (blocked / name).as_uri()}
        changes = [tables.change(other) for other in NAMES]
        changes[position] = tables.change(name, move)
        tables.fails(changes)
        tables.fails([tables.creation(), *changes])
    assert tables.commit(tables_and_creations(tables)[1]).status_code == 204


@contextlib.contextmanager
def refusing(server, table_id, is_deferred):
    """While this holds, the database refuses to point the table elsewhere: at once, or at the commit."""
    if server.store_url:
        connection = postgres._connect(server.store_url)
        connection.run(
            "CREATE FUNCTION boom() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF NEW.table_id = {table_id} THEN RAISE EXCEPTION 'boom'; END IF; RETURN NEW; END $$"
        )
        kind, when = ("CONSTRAINT TRIGGER", "DEFERRABLE INITIALLY DEFERRED") if is_deferred else ("TRIGGER", "")
        connection.run(f"CREATE {kind} boom AFTER UPDATE ON iceberg_table {when} FOR EACH ROW EXECUTE FUNCTION boom()")
        yield
        connection.run("DROP FUNCTION boom CASCADE")
        connection.close()
        return
    with contextlib.closing(sqlite3.connect(server.folder / "data" / "lakeward.db", timeout=60)) as connection:
        if is_deferred:
            connection.execute("CREATE TABLE IF NOT EXISTS boom_parent (id INTEGER PRIMARY KEY)")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS boom_child (id INTEGER REFERENCES boom_parent (id) DEFERRABLE INITIALLY DEFERRED)"
            )
            effect = "INSERT INTO boom_child VALUES (1)"
        else:
            effect = "SELECT RAISE(ABORT, 'boom')"
        condition = f"WHEN NEW.table_id = {table_id}"
        connection.execute(f"CREATE TRIGGER boom AFTER UPDATE ON iceberg_table {condition} BEGIN {effect}; END")
        connection.commit()
        yield
        connection.execute("DROP TRIGGER boom")
        connection.commit()


def ids(server):
    """The ids of the tables, in the order in which they were made."""
    query = "SELECT table_id FROM iceberg_table ORDER BY table_id"
    if server.store_url:
        connection = postgres._connect(server.store_url)
        found = [row[0] for row in connection.run(query)]
        connection.close()
        return found
    with contextlib.closing(sqlite3.connect(server.folder / "data" / "lakeward.db")) as connection:
        return [row[0] for row in connection.execute(query)]


@pytest.mark.parametrize("is_deferred", [False, True], ids=["at-a-pointer", "at-the-commit"])
def test_the_database_refuses(tables, is_deferred):
    for table_id in ids(tables.server):
        with refusing(tables.server, table_id, is_deferred):
            for changes in tables_and_creations(tables):
                tables.fails(changes, may_leave_files=is_deferred)
    assert tables.commit(tables_and_creations(tables)[1]).status_code == 204
    after = tables.state()
    assert set(after) == {*NAMES, "made"}
    for name in NAMES:
        loaded = after[name]
        assert loaded["metadata"]["properties"]["a"] == "1"
        assert json.loads(Path(unquote(urlsplit(loaded["metadata-location"]).path)).read_bytes()) == loaded["metadata"]
