# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Twenty clients of five users on one gateway, while policies, masks, tags, groups and roles change without a pause.

Every change has a time at which it was asked for and one at which it was acknowledged. A state may be seen by a query
that ends after the first and starts before the acknowledgement of the next state; anything else is an answer from the
past or the future. Every row says whose it is, so that no answer can mix users unseen.

LAKEWARD_CHURN_SECONDS says how long; without it ten minutes with --all, and 20 seconds else."""

import collections
import contextlib
import itertools
import os
import random
import threading
import time

import pyarrow
import pytest

from harness import masks
from harness.flight_sql import Client
from harness.gateway import Gateway
from harness.lake import CATALOG, Lake
from harness.query import Reader

SECONDS = float(os.environ.get("LAKEWARD_CHURN_SECONDS") or (600 if os.environ.get("LAKEWARD_E2E_ALL") else 20))
USERS = [f"user{number}" for number in range(5)]
CLIENTS = 20
PARTS = 4  # of the rows of each user; the row filter shows one part at a time
ROWS = 50  # of each user and part
BIG_ROWS = 150_000
MEMORY_MIB = 128
# What the process needs beside --memory: itself, its connections, and a few batches for each thread of a scan.
BASE_MIB = 512
MARK = "governed-value"  # in texts of the tables, so that no file may hold it

ENTRIES = f"{CATALOG}.churn.entries"
MORE = f"{CATALOG}.churn.more"
BIG = f"{CATALOG}.churn.big"

COLUMNS = "owner, part, secret, note, place"
# Each gives the rows of the user in the part that is shown.
QUERIES = [
    f"SELECT {COLUMNS} FROM {ENTRIES}",
    f"SELECT {COLUMNS} FROM {ENTRIES} ORDER BY secret, place, part",
    f"SELECT DISTINCT {COLUMNS} FROM {ENTRIES}",
    f"SELECT {COLUMNS} FROM {ENTRIES} WHERE part IN (SELECT part FROM {ENTRIES}) LIMIT 1000000",
    f"SELECT {COLUMNS} FROM (SELECT *, row_number() OVER (PARTITION BY owner ORDER BY note) AS n FROM {ENTRIES}) WHERE n > 0",
]
SECRETS = {
    "sha-256-global": masks.sha_256_of_text,
    "mask-alphanum": masks.mask_alphanum,
    "show-last-4": masks.show_last_4,
    "replace-with-null": lambda _: None,
}


def secret(user, part, number):
    return f"{MARK}-{user}-{part}-{number:04}"


def note(user):
    return f"note {MARK} {user}"


def place(number):
    return f"{MARK} place {number % 7}"


def entries():
    """The rows of all users."""
    numbered = itertools.product(USERS, range(PARTS), range(ROWS))
    rows = [
        {"owner": user, "part": part, "secret": secret(user, part, n), "note": note(user), "place": place(n)}
        for user, part, n in numbered
    ]
    return pyarrow.Table.from_pylist(rows)


def big():
    """More than a statement may hold in memory."""
    numbers = range(BIG_ROWS)
    texts = [f"{MARK}-{number * 7919 % BIG_ROWS:08}-{'x' * 200}" for number in numbers]
    return pyarrow.table({"part": pyarrow.array([number % PARTS for number in numbers]), "text": texts})


class Timeline:
    """The states of one thing, each with the time at which it was asked for and that of its acknowledgement."""

    def __init__(self, state):
        self.lock = threading.Lock()
        self.states = [[state, 0.0, 0.0]]

    def change(self, state, carry_out):
        entry = [state, time.monotonic(), None]
        with self.lock:
            self.states.append(entry)
        carry_out()
        with self.lock:
            entry[2] = time.monotonic()

    def allowed(self, start, end):
        """The states that a query from `start` to `end` may have seen."""
        with self.lock:
            over = [*(acknowledged for _, _, acknowledged in self.states[1:]), None]
            return {
                state
                for (state, asked, _), end_of_state in zip(self.states, over, strict=True)
                if asked <= end and (end_of_state is None or end_of_state >= start)
            }


def test_a_timeline_knows_past_present_and_future():
    timeline = Timeline("a")
    timeline.states = [["a", 0, 0], ["b", 10, 11], ["c", 20, None]]
    assert timeline.allowed(1, 2) == {"a"}
    assert timeline.allowed(9, 10) == {"a", "b"}
    assert timeline.allowed(10.5, 12) == {"a", "b"}
    assert timeline.allowed(12, 13) == {"b"}
    assert timeline.allowed(12, 21) == {"b", "c"}
    assert timeline.allowed(30, 31) == {"b", "c"}


class Churn:
    """The governed tables, and what changes about them without a pause."""

    def __init__(self, lake):
        self.lake = lake
        self.over = threading.Event()
        self.counts = collections.Counter()
        self.failures = []
        self.part = Timeline(0)
        self.action = Timeline("sha-256-global")
        self.located = Timeline(True)
        self.insider = {user: Timeline(False) for user in USERS}
        self.reads_more = {user: Timeline(True) for user in USERS}
        for user in USERS:
            lake.add_user(user)
        lake.add_group("insiders")
        lake.add_role("everybody", ["use_catalog", "use_schema"], USERS)
        catalog = lake.pyiceberg()
        catalog.create_namespace("churn")
        for name, table in [("entries", entries()), ("more", entries()), ("big", big())]:
            catalog.create_table(f"churn.{name}", schema=table.schema).append(table)
        for role, table in [("reads-entries", ENTRIES), ("reads-more", MORE), ("reads-big", BIG)]:
            lake.add_role(role, ["select_table"], USERS, full_name=table, kind="table")
        self._restrict("table", ENTRIES, "own", "row_filter", self.rule_of_part(0))
        self._restrict("table", MORE, "own-more", "row_filter", 'filter := col("owner") == session_user()')
        self._restrict("table", BIG, "few", "row_filter", 'filter := col("part") != 3')
        self._restrict("column", f"{ENTRIES}.secret", "secret", "column_mask", self.rule_of_action("sha-256-global"))
        self._restrict(
            "column", f"{ENTRIES}.note", "noted", "column_mask",
            'mask := action("show-first-4") if is_group_member("insiders") else := action("replace-with-null")',
        )  # fmt: skip
        self._restrict("column", f"{ENTRIES}.place", "located", "column_mask", 'mask := action("mask-to-fixed-value")')

    def _restrict(self, kind, name, tag, policy_kind, rule):
        self.lake.add_tag(tag)
        self.lake.assign(kind, name, tag)
        self.lake.add_policy(f"of-{tag}", policy_kind, rule, tag)

    @staticmethod
    def rule_of_part(part):
        return f'filter := col("owner") == session_user() and col("part") == {part}'

    @staticmethod
    def rule_of_action(action):
        return f'mask := action("{action}")'

    @staticmethod
    def set_rule(lake, policy, kind, rule):
        update = {"@type": "updateContent", "policyType": f"system_{kind}", "newContent": {"expression": rule}}
        lake.admin.put(*lake.at("policies", policy), body={"updates": [update]}, query={"force": "true"})

    def changes(self):
        """What changes, each in a thread of its own."""

        def part(lake, chance):
            new = chance.randrange(PARTS)
            self.part.change(new, lambda: self.set_rule(lake, "of-own", "row_filter", self.rule_of_part(new)))

        def action(lake, chance):
            new = chance.choice(list(SECRETS))
            self.action.change(new, lambda: self.set_rule(lake, "of-secret", "column_mask", self.rule_of_action(new)))

        def tag(lake, _):
            new = not self.located.states[-1][0]
            change = lake.assign if new else lake.unassign
            self.located.change(new, lambda: change("column", f"{ENTRIES}.place", "located"))

        def group(lake, chance):
            user = chance.choice(USERS)
            new = not self.insider[user].states[-1][0]
            body = {"usersToAdd" if new else "usersToRemove": [user]}
            self.insider[user].change(new, lambda: lake.admin.put("idp", "groups", "insiders", "users", body=body))

        def role(lake, chance):
            user = chance.choice(USERS)
            new = not self.reads_more[user].states[-1][0]
            path = lake.at("permissions", "users", user, "grant" if new else "revoke")
            self.reads_more[user].change(new, lambda: lake.admin.put(*path, body={"roleNames": ["reads-more"]}))

        return {"filter": part, "mask": action, "tag": tag, "group": group, "role": role}

    def keep_changing(self, name, change):
        lake, chance = Lake(self.lake.server), random.Random(name)
        while not self.over.is_set():
            change(lake, chance)
            self.counts[f"changes: {name}"] += 1
            self.over.wait(chance.uniform(0.02, 0.4))

    def keep_asking(self, number, gateway):
        user, chance = USERS[number % len(USERS)], random.Random(number)
        client = Client(gateway, user)
        while not self.over.is_set():
            if chance.random() < 0.2:
                self.ask_more(client, user)
            else:
                self.ask_entries(client, user, chance.choice(QUERIES))
        client.close()

    def ask_entries(self, client, user, sql):
        ticket = client.ticket(sql)
        start = time.monotonic()
        table = client.read(ticket).read_all()
        self.judge(user, sql, table, start, time.monotonic())
        self.counts["answers"] += 1

    def judge(self, user, sql, table, start, end):
        """Whether the rows are this user's in a state that was in force."""
        columns = table.to_pydict()
        assert set(columns["owner"]) == {user}, f"{user} got rows of {set(columns['owner'])}: {sql}"
        [part] = set(columns["part"])
        assert part in self.part.allowed(start, end), f"{user} got part {part}: {sql}"
        shown = set(columns["secret"])
        actions = {
            action
            for action, mask in SECRETS.items()
            if shown == {mask(secret(user, part, number)) for number in range(ROWS)}
        }
        assert len(actions) == 1, f"secrets of no single mask: {shown}"
        assert actions & self.action.allowed(start, end), f"{user} got secrets by {actions}: {sql}"
        [shown] = set(columns["note"])
        assert shown in (None, masks.show_first_4(note(user)))
        assert (shown is not None) in self.insider[user].allowed(start, end), f"{user} got note {shown}: {sql}"
        shown = set(columns["place"])
        states = {frozenset({"XXXXXXXX"}): True, frozenset(map(place, range(ROWS))): False}
        assert states[frozenset(shown)] in self.located.allowed(start, end), f"{user} got places {shown}: {sql}"

    def ask_more(self, client, user):
        start = time.monotonic()
        try:
            table = client.query(f"SELECT owner, secret FROM {MORE}")
        except pyarrow.ArrowException as error:
            may = self.reads_more[user].allowed(start, time.monotonic())
            assert False in may, f"{user} was refused: {error}"
            assert "ice.churn.more" in str(error) and MARK not in str(error), error
            self.counts["refused by the server"] += 1
            return
        assert True in self.reads_more[user].allowed(start, time.monotonic()), f"{user} was not refused"
        assert set(table["owner"].to_pylist()) == {user} and table.num_rows == PARTS * ROWS
        self.counts["answers"] += 1

    def watch(self, gateway):
        """The memory of the gateway, all the time."""
        while not self.over.is_set():
            used = gateway.resident_bytes() // 2**20
            self.counts["most MiB"] = max(self.counts["most MiB"], used)
            assert used < MEMORY_MIB + BASE_MIB, f"{used} MiB"
            self.over.wait(0.2)

    def run(self, gateway, seconds):
        def guarded(work, *arguments):
            try:
                work(*arguments)
            except BaseException as error:  # noqa: BLE001 - every failure ends the test
                self.failures.append(error)
                self.over.set()

        work = [(self.keep_changing, name, change) for name, change in self.changes().items()]
        work += [(self.keep_asking, number, gateway) for number in range(CLIENTS)]
        work += [(self.watch, gateway)]
        threads = [threading.Thread(target=guarded, args=arguments) for arguments in work]
        for thread in threads:
            thread.start()
        self.over.wait(seconds)
        self.over.set()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]


@pytest.fixture(scope="module")
def churn(embedded_lake):
    return Churn(embedded_lake)


@pytest.fixture
def gateway(churn, tmp_path):
    gateway = Gateway(
        churn.lake.server, Reader(churn.lake.server, tmp_path).identity, tmp_path / "gateway",
        "--memory", MEMORY_MIB, "--memory-per-statement", MEMORY_MIB // 2, "--memory-per-user", MEMORY_MIB // 2,
        "--spill", tmp_path / "spilled", "--audit", tmp_path / "audit" / "audit.jsonl", "--queue-timeout", 60,
    ).start()  # fmt: skip
    yield gateway
    gateway.kill()


def processes(folder):
    """The folders of processes in a folder for spilled data."""
    return [path for path in folder.iterdir() if path.name.startswith("process-")]


def spilled_bytes(folder):
    total = 0
    for path in folder.rglob("*"):
        # Files come and go meanwhile.
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def holding(folder, text):
    """Files that hold the text."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.005)


def test_every_answer_is_its_users_and_of_its_time_and_nothing_is_left(churn, gateway, tmp_path, capsys):
    churn.run(gateway, SECONDS)
    # A statement that puts rows on the disk, and its end in the middle.
    spilled = tmp_path / "spilled"
    [folder] = processes(spilled)
    wide = f"SELECT text, repeat(text, 3) AS wide FROM {BIG} ORDER BY reverse(text)"
    ends = []

    def sort():
        try:
            ends.append(Client(gateway, USERS[0]).query(wide))
        except pyarrow.ArrowException as error:
            ends.append(error)

    sorting = threading.Thread(target=sort)
    sorting.start()
    wait_for(lambda: spilled_bytes(folder) > 2**20 or ends, 300, "nothing was spilled")
    assert not ends, f"it ended before: {ends}"
    churn.counts["MiB on the disk when killed"] = spilled_bytes(folder) // 2**20
    gateway.kill()
    sorting.join()
    assert isinstance(ends[0], pyarrow.ArrowException)
    wait_for(lambda: not folder.exists(), 60, "the folder of the killed gateway is still there")
    assert processes(spilled) == []
    assert holding(tmp_path, MARK) == []
    with capsys.disabled():
        figures = ", ".join(f"{name} {count}" for name, count in sorted(churn.counts.items()))
        print(f"\nchurn of {SECONDS:g} s: {figures}")
    assert churn.counts["answers"] > SECONDS and churn.counts["refused by the server"] > 0
