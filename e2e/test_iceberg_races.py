# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Sixteen writers of the Iceberg protocol at once, while nodes are killed: on one table, on a hundred, on several tables
in one transaction, over the names of tables, views and namespaces, and appends with real files.

Every acknowledged commit is there afterwards, nothing is there that nobody asked for, every metadata file that a pointer
or a log names exists and parses, and no answer is 5xx. A commit whose node was killed may have happened or not.

LAKEWARD_RACE_SECONDS says how long each lane of the long form takes; without it one minute."""

import collections
import json
import os
import random
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow
import pytest
import requests
from pyiceberg.exceptions import CommitFailedException

from harness import nodes
from harness.lake import Lake
from harness.nodes import Unanswered

WRITERS = 16
QUICK_SECONDS = 3
LONG_SECONDS = float(os.environ.get("LAKEWARD_RACE_SECONDS") or 60)
LEAST_USEFUL = WRITERS  # commits before a lane may end, however slow the machine is

PREFIX = ("iceberg", "v1", "ice")
TABLES = (*PREFIX, "namespaces", "race", "tables")
SCHEMA = {"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}]}
VERSION = {
    "version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["race"],
    "representations": [{"type": "sql", "sql": "SELECT 1", "dialect": "spark"}],
}  # fmt: skip


def read_metadata(location):
    """The metadata file at a location, which must be there and parse."""
    return json.loads(Path(unquote(urlsplit(location).path)).read_bytes())


def set_property(name, value="1", requirements=()):
    updates = [{"action": "set-properties", "updates": {name: value}}]
    return {"requirements": [*requirements], "updates": updates}


class Lane:
    """What writers of one kind do and what must hold afterwards."""

    def __init__(self, all_nodes):
        self.nodes = all_nodes
        self.lock = threading.Lock()
        self.attempts = self.useful = self.unknown = 0

    def tables(self, count):
        for number in range(count):
            self.nodes.must("POST", *TABLES, body={"name": f"t{number}", "schema": SCHEMA})
        return [f"t{number}" for number in range(count)]

    def load(self, name):
        """The metadata of a table, whose files all exist and parse."""
        loaded = self.nodes.must("GET", *TABLES, name)
        metadata = loaded["metadata"]
        assert read_metadata(loaded["metadata-location"])["table-uuid"] == metadata["table-uuid"]
        for entry in metadata.get("metadata-log", []):
            assert read_metadata(entry["metadata-file"])["table-uuid"] == metadata["table-uuid"]
        return metadata

    def commit(self, *path, body, useful, lost=("CommitFailedException",)):
        """One attempt: true when acknowledged, false when refused as a lost race, `None` when nobody knows."""
        with self.lock:
            self.attempts += 1
        try:
            answer = self.nodes.ask("admin", "POST", *path, body=body)
        except Unanswered:
            with self.lock:
                self.unknown += 1
            return None
        if answer.status == useful:
            with self.lock:
                self.useful += 1
            return True
        assert answer.status == 409 and answer.kind in lost, f"{path}: {answer}"
        return False

    def writers(self):
        return [lambda number=number: self.write_until_over(number) for number in range(WRITERS)]

    def write_until_over(self, number):
        choice = random.Random(number)
        turn = 0
        while not self.nodes.is_over.is_set():
            turn += 1
            self.write(number, turn, choice)

    def report(self):
        ratio = self.useful / max(self.attempts, 1)
        return f"{self.useful} useful of {self.attempts} attempts ({ratio:.2f}), {self.unknown} unknown"


class Commits(Lane):
    """Each commit sets a property of its own on one of the tables."""

    def __init__(self, all_nodes, count):
        super().__init__(all_nodes)
        self.names = self.tables(count)
        self.uuids = {name: self.load(name)["table-uuid"] for name in self.names}
        self.acknowledged, self.possible = collections.defaultdict(set), collections.defaultdict(set)

    def write(self, number, turn, choice):
        table = choice.choice(self.names)
        name = f"w{number}_{turn}"
        asserted = {"type": "assert-table-uuid", "uuid": self.uuids[table]}
        made = self.commit(*TABLES, table, body=set_property(name, requirements=[asserted]), useful=200)
        if made is not False:
            with self.lock:
                (self.acknowledged if made else self.possible)[table].add(name)

    def check(self):
        for table in self.names:
            found = {name for name in self.load(table)["properties"] if name.startswith("w") and "_" in name}
            acknowledged, possible = self.acknowledged[table], self.possible[table]
            assert acknowledged <= found, f"lost in {table}: {sorted(acknowledged - found)[:10]}"
            assert found <= acknowledged | possible, f"refused and yet there: {sorted(found - acknowledged - possible)[:10]}"


class Transactions(Lane):
    """Each transaction sets the same property on some of the tables, and some assert what is not so."""

    def __init__(self, all_nodes):
        super().__init__(all_nodes)
        self.names = self.tables(10)
        self.uuids = {name: self.load(name)["table-uuid"] for name in self.names}
        self.acknowledged, self.possible, self.all = {}, {}, {}

    def write(self, number, turn, choice):
        tables = choice.sample(self.names, choice.randint(2, 4))
        name = f"w{number}_{turn}"
        is_wrong = choice.random() < 0.1
        changes = []
        for position, table in enumerate(tables):
            uuid = self.uuids[table]
            if is_wrong and position == len(tables) - 1:
                uuid = "00000000-0000-4000-8000-000000000000"
            commit = set_property(name, requirements=[{"type": "assert-table-uuid", "uuid": uuid}])
            changes.append({"identifier": {"namespace": ["race"], "name": table}, **commit})
        made = self.commit(*PREFIX, "transactions", "commit", body={"table-changes": changes}, useful=204)
        assert not (is_wrong and made), f"{name} asserted what is not so"
        with self.lock:
            self.all[name] = set(tables)
            if made is not False and not is_wrong:
                (self.acknowledged if made else self.possible)[name] = set(tables)

    def check(self):
        where = collections.defaultdict(set)
        for table in self.names:
            for name in self.load(table)["properties"]:
                if name in self.all:
                    where[name].add(table)
        for name, tables in self.acknowledged.items():
            assert where[name] == tables, f"{name} changed {where[name]} of {tables}"
        for name, found in where.items():
            assert name in self.acknowledged or name in self.possible, f"{name} was refused and is in {found}"
            assert found == self.all[name], f"{name} changed {found} of {self.all[name]}"


class Storms(Lane):
    """Tables, views and namespaces are made, renamed and dropped under few names. What was acknowledged of each name must
    add up to what is there: made and moved here, less dropped and moved away."""

    NAMES = ("a", "b", "c", "d")
    SPACES = ("race", "other")

    def __init__(self, all_nodes):
        super().__init__(all_nodes)
        all_nodes.must("POST", *PREFIX, "namespaces", body={"namespace": ["other"]})
        self.balance, self.slack = collections.Counter(), collections.Counter()

    def ask(self, method, *path, body=None, allowed, effects):
        """Asks once; `allowed` says which answers there may be, `effects` what a success (200, 204) adds to which name."""
        with self.lock:
            self.attempts += 1
        try:
            answer = self.nodes.ask("admin", method, *path, body=body)
        except Unanswered:
            with self.lock:
                self.unknown += 1
                self.slack.update(effects.keys())
            return
        assert (answer.status, answer.kind) in {(200, None), (204, None), *allowed}, f"{method} {path} {body}: {answer}"
        if answer.status in (200, 204):
            with self.lock:
                self.useful += bool(effects)
                self.balance.update(effects)

    def write(self, number, turn, choice):
        kind = choice.choice(["tables", "tables", "views"])
        missing = "NoSuchTableException" if kind == "tables" else "NoSuchViewException"
        space, name = choice.choice(self.SPACES), choice.choice(self.NAMES)
        at = (*PREFIX, "namespaces", space, kind)
        action = choice.choice(["create", "create", "drop", "rename", "load", "list", "commit", "space", "properties"])
        if action == "create":
            body = {"name": name, "schema": SCHEMA}
            if kind == "views":
                body |= {"view-version": VERSION, "properties": {}}
            taken = {(409, "AlreadyExistsException")}
            self.ask("POST", *at, body=body, allowed=taken, effects={(kind, space, name): 1})
        elif action == "drop":
            self.ask("DELETE", *at, name, allowed={(404, missing)}, effects={(kind, space, name): -1})
        elif action == "rename":
            new = (choice.choice(self.SPACES), choice.choice(self.NAMES))
            body = {"source": {"namespace": [space], "name": name}, "destination": {"namespace": [new[0]], "name": new[1]}}
            effects = {(kind, space, name): -1, (kind, *new): 1} if (space, name) != new else {}
            allowed = {(404, missing), (409, "AlreadyExistsException")}
            self.ask("POST", *PREFIX, kind, "rename", body=body, allowed=allowed, effects=effects)
        elif action == "load":
            self.ask("GET", *at, name, allowed={(404, missing)}, effects={})
        elif action == "list":
            self.ask("GET", *at, allowed=set(), effects={})
        elif action == "commit":
            allowed = {(404, missing), (409, "CommitFailedException")}
            self.ask("POST", *at, name, body=set_property(f"w{number}_{turn}"), allowed=allowed, effects={})
        elif action == "space":
            self.churn_namespace(choice.choice(["x", "y"]), choice)
        else:
            body = {"removals": [], "updates": {f"w{number}_{turn}": "1"}}
            self.ask("POST", *PREFIX, "namespaces", space, "properties", body=body, allowed=set(), effects={})

    def churn_namespace(self, name, choice):
        missing = {(404, "NoSuchNamespaceException")}
        if choice.random() < 0.4:
            taken = {(409, "AlreadyExistsException")}
            effects = {("namespaces", "", name): 1}
            self.ask("POST", *PREFIX, "namespaces", body={"namespace": [name]}, allowed=taken, effects=effects)
        elif choice.random() < 0.6:
            allowed = {*missing, (409, "NamespaceNotEmptyException")}
            self.ask("DELETE", *PREFIX, "namespaces", name, allowed=allowed, effects={("namespaces", "", name): -1})
        else:
            at = (*PREFIX, "namespaces", name, "tables")
            allowed = {*missing, (409, "AlreadyExistsException")}
            self.ask("POST", *at, body={"name": "a", "schema": SCHEMA}, allowed=allowed, effects={("tables", name, "a"): 1})
            allowed = {*missing, (404, "NoSuchTableException")}
            self.ask("DELETE", *at, "a", allowed=allowed, effects={("tables", name, "a"): -1})

    def check(self):
        there = collections.Counter()
        spaces = {levels[0] for levels in self.nodes.must("GET", *PREFIX, "namespaces")["namespaces"]}
        there.update({("namespaces", "", name): 1 for name in spaces & {"x", "y"}})
        for space in spaces:
            for kind in ["tables", "views"]:
                at = (*PREFIX, "namespaces", space, kind)
                for identifier in self.nodes.must("GET", *at)["identifiers"]:
                    there[(kind, space, identifier["name"])] += 1
                    loaded = self.nodes.must("GET", *at, identifier["name"])
                    assert read_metadata(loaded["metadata-location"])["location"] == loaded["metadata"]["location"]
        for name in {*there, *self.balance}:
            difference = abs(there[name] - self.balance[name])
            assert difference <= self.slack[name], f"{name}: there {there[name]}, acknowledged {self.balance[name]}"


class Appends(Lane):
    """PyIceberg appends rows: data files, manifests and snapshots."""

    def __init__(self, all_nodes):
        super().__init__(all_nodes)
        self.names = self.tables(2)
        self.acknowledged, self.possible = collections.defaultdict(set), collections.defaultdict(set)

    def writers(self):
        return super().writers()[:4]

    def write(self, number, turn, choice):
        table, value = choice.choice(self.names), number * 1_000_000 + turn
        node = choice.choice(self.nodes.nodes)
        life = node.life
        with self.lock:
            self.attempts += 1
        made = None
        try:
            loaded = Lake(node.server).pyiceberg().load_table(f"race.{table}")
            loaded.append(pyarrow.table({"id": pyarrow.array([value], pyarrow.int64())}))
            made = True
        except CommitFailedException:
            return
        except requests.RequestException:
            if node.life == life and node.is_up():
                raise
        with self.lock:
            self.useful += bool(made)
            self.unknown += not made
            (self.acknowledged if made else self.possible)[table].add(value)

    def check(self):
        catalog = Lake(self.nodes.nodes[-1].server).pyiceberg()
        for name in self.names:
            self.load(name)
            table = catalog.load_table(f"race.{name}")
            found = table.scan().to_arrow()["id"].to_pylist()
            assert len(found) == len(set(found)) == len(table.metadata.snapshots)
            assert self.acknowledged[name] <= set(found) <= self.acknowledged[name] | self.possible[name]


LANES = {
    "one-table": lambda all_nodes: Commits(all_nodes, 1),
    "hundred-tables": lambda all_nodes: Commits(all_nodes, 100),
    "transactions": Transactions,
    "storms": Storms,
    "appends": Appends,
}


def race(kind, lane_name, folder, seconds, kills):
    with nodes.running(kind, folder) as all_nodes:
        all_nodes.must("POST", "api", "metalakes", body={"name": "lake"})
        warehouse = {"warehouse": (folder / "warehouse").as_uri()}
        catalog = {"name": "ice", "type": "relational", "provider": "lakehouse-iceberg", "properties": warehouse}
        all_nodes.must("POST", "api", "metalakes", "lake", "catalogs", body=catalog)
        all_nodes.must("POST", *PREFIX, "namespaces", body={"namespace": ["race"]})
        lane = LANES[lane_name](all_nodes)

        def control():
            for kill in range(kills + 1):
                least = lane.useful + LEAST_USEFUL / (kills + 1)
                all_nodes.is_over.wait(seconds / (kills + 1))
                while lane.useful < least and not all_nodes.is_over.wait(0.05):
                    pass
                if kill < kills and not all_nodes.is_over.is_set():
                    all_nodes.nodes[kill % len(all_nodes.nodes)].kill_and_start()

        all_nodes.run(lane.writers(), control)
        lane.check()
        # Once more, when everybody was killed.
        for node in all_nodes.nodes:
            node.kill_and_start()
        lane.check()
        print(f"{kind}, {lane_name}: {lane.report()}, {sum(node.kills for node in all_nodes.nodes)} kills")
        assert lane.useful >= LEAST_USEFUL


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("kind", nodes.KINDS)
def test_no_acknowledged_commit_is_lost(kind, lane, tmp_path):
    race(kind, lane, tmp_path, QUICK_SECONDS, kills=1)


@pytest.mark.slow
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("kind", nodes.KINDS)
def test_no_acknowledged_commit_is_lost_for_long(kind, lane, tmp_path):
    race(kind, lane, tmp_path, LONG_SECONDS, kills=6)
