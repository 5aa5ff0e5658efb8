# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""64 clients that grant, revoke, drop, rename and change groups, or read what the others change, while nodes are killed.

Each changing client has a user, a group, roles and a table of its own, and knows what its user may see: what was
answered holds on every node with the next request, and after a restart. A read that overlaps a change may see either
state, any other answer is a false allow or a false denial. An unanswered change may have happened or not, until it is
asked for again and answered.

LAKEWARD_ACCESS_SECONDS says how long the long form takes; without it four minutes."""

import itertools
import os
import random
import threading
import time

import pytest

from harness import nodes
from harness.nodes import Unanswered
from harness.server import PASSWORD

HALF = 32  # clients that change, and as many that read
QUICK_SECONDS = 8
LONG_SECONDS = float(os.environ.get("LAKEWARD_ACCESS_SECONDS") or 240)
# What the changing clients have made together before the test may end, however slow the machine is.
LEAST_CHANGES = HALF
# Readers do not take all of the machine: more than this between two reads of one client, in seconds.
PAUSE = 0.1

M = ("api", "metalakes", "m")
CATALOG = (*M, "catalogs", "c")
SCHEMA = (*CATALOG, "schemas", "s")
TABLES = (*SCHEMA, "tables")


def securable(full_name, kind, **privileges):
    said = [{"name": name.upper(), "condition": condition} for name, condition in privileges.items()]
    return {"type": kind, "fullName": full_name, "privileges": said}


def table_body(name):
    return {"name": name, "columns": [{"name": "id", "type": "integer", "nullable": True}], "properties": {}}


class GivenUp(Exception):
    """The test ends before a change was made."""


class Client:
    """One changing client, and the model of what its user may see."""

    def __init__(self, all_nodes, number):
        self.nodes = all_nodes
        self.number = number
        self.user, self.group, self.role, self.no = (f"{kind}{number}" for kind in ["u", "g", "r", "no"])
        self.names = (f"t{number}_{count}" for count in itertools.count(1))
        self.choice = random.Random(number)
        self.changes = self.checks = self.overtaken = 0
        self.allowed = self.denied = 0
        self.shared = set()  # what was answered of what all clients change
        state = {"table": f"t{number}", "enabled": True, "holds": False, "allow": False, "member": False, "group_no": False,
                 "own_no": False}  # fmt: skip
        self.state = state
        # States with when they were asked for and answered; a reader looks at them while they are added.
        self.timeline = [[0.0, 0.0, state]]
        self.lock = threading.Lock()

    @staticmethod
    def shows(state):
        denied = state["own_no"] or (state["member"] and state["group_no"])
        return state["enabled"] and state["holds"] and state["allow"] and not denied

    # What it changes.

    def change(self, method, *path, body=None, again=()):
        """A change that is made for good when this returns. An answer of `again` says, after an attempt that was not
        answered, that it was made."""
        was_unanswered = False
        for attempt in itertools.count(1):
            if attempt > 1:
                time.sleep(self.choice.random() * 0.1)
            try:
                answer = self.nodes.ask("admin", method, *path, body=body)
            except Unanswered:
                was_unanswered = True
                continue
            if answer.status == 200:
                return answer
            if was_unanswered and answer.kind in again:
                return answer
            # Overtaken by somebody else's change, which clients repeat.
            assert answer.status == 409 and answer.kind not in again, f"{method} {path}: {answer}"
            self.overtaken += 1
            if self.nodes.is_over.is_set() and not was_unanswered:
                raise GivenUp

    def to(self, **changed):
        return _Change(self, {**self.state, **changed})

    def hold(self, held, of, name, role, **changed):
        verb = "grant" if held else "revoke"
        with self.to(**changed):
            self.change("PUT", *M, "permissions", of, name, verb, body={"roleNames": [role]})

    def flip_role(self):
        held = not self.state["holds"]
        self.hold(held, "users", self.user, self.role, holds=held)

    def flip_group_no(self):
        held = not self.state["group_no"]
        self.hold(held, "groups", self.group, self.no, group_no=held)

    def flip_own_no(self):
        held = not self.state["own_no"]
        self.hold(held, "users", self.user, self.no, own_no=held)

    def flip_privilege(self):
        allow = not self.state["allow"]
        with self.to(allow=allow):
            self.privilege("grant" if allow else "revoke", self.role, "SELECT_TABLE")

    def privilege(self, verb, role, name, condition="ALLOW"):
        path = (*M, "permissions", "roles", role, "table", f"c.s.{self.state['table']}", verb)
        self.change("PUT", *path, body={"privileges": [{"name": name, "condition": condition}]})

    def flip_member(self):
        member = not self.state["member"]
        body = {"usersToAdd" if member else "usersToRemove": [self.user]}
        with self.to(member=member):
            self.change("PUT", "api", "idp", "groups", self.group, "users", body=body)

    def flip_enabled(self):
        enabled = not self.state["enabled"]
        with self.to(enabled=enabled):
            self.change("PUT", *M, "users", self.user, body={"enabled": enabled})

    def rename_table(self):
        new = next(self.names)
        with self.to(table=new):
            body = {"updates": [{"@type": "rename", "newName": new}]}
            self.change("PUT", *TABLES, self.state["table"], body=body, again=["NoSuchTableException"])

    def replace_table(self):
        """Nothing that was granted on the old table is granted on a new one of its name."""
        with self.to(allow=False):
            self.change("DELETE", *TABLES, self.state["table"])
        self.change("POST", *TABLES, body=table_body(self.state["table"]), again=["TableAlreadyExistsException"])

    def replace_role(self):
        """Nobody holds a new role of the old name, and it says nothing."""
        with self.to(holds=False, allow=False):
            self.change("DELETE", *M, "roles", self.role)
        body = {"name": self.role, "securableObjects": []}
        self.change("POST", *M, "roles", body=body, again=["RoleAlreadyExistsException"])

    def change_what_all_change(self):
        """A property of a table and one of a role, among those of all others."""
        name = f"p{self.number}_{self.changes}"
        update = {"@type": "setProperty", "property": name, "value": "1"}
        self.change("PUT", *TABLES, "common", body={"updates": [update]})
        self.shared.add(name)

    def say_of_shared_role(self):
        body = {"privileges": [{"name": "MODIFY_TABLE", "condition": "ALLOW"}]}
        self.change("PUT", *M, "permissions", "roles", "shared", "table", f"c.s.mark{self.number}", "grant", body=body)
        self.said_of_shared_role = True

    said_of_shared_role = False

    # What it checks.

    def check(self, node, after):
        """One question to one node, while nothing of this client changes."""
        answer = self.look(self.state["table"], node)
        expected = self.shows(self.state)
        seen = answer.status == 200
        assert answer.status in (200, 403, 404), f"{self.user} after {after}: {answer}"
        verdict = "false allow" if seen else "false denial"
        assert seen == expected, f"{verdict} for {self.user} after {after} in {self.state}: {answer}"
        self.checks += 1
        self.allowed += seen
        self.denied += not seen

    def look(self, table, node=None):
        return self.nodes.ask(self.user, "GET", *TABLES, table, node=node)

    def check_everywhere(self, after):
        for node in self.nodes.nodes:
            try:
                self.check(node, after)
            except Unanswered:
                self.check_everywhere("a restart")
                return

    def check_stored(self):
        """What was answered is stored: the roles, the privileges, the group, the table."""
        state = self.state
        user = self.nodes.must("GET", *M, "users", self.user)["user"]
        roles = {"way", *([self.role] if state["holds"] else []), *([self.no] if state["own_no"] else [])}
        assert set(user["roles"]) == roles, (user, state)
        group = self.nodes.must("GET", *M, "groups", self.group)["group"]
        assert set(group["roles"]) == ({self.no} if state["group_no"] else set()), (group, state)
        role = self.nodes.must("GET", *M, "roles", self.role)["role"]
        said = [(at["fullName"], [right["name"].upper() for right in at["privileges"]]) for at in role["securableObjects"]]
        expected = [(f"c.s.{state['table']}", ["SELECT_TABLE"])] if state["allow"] else []
        assert said == expected, (said, state)
        self.nodes.must("GET", *TABLES, state["table"])

    def __call__(self):
        actions = [
            self.flip_role, self.flip_role, self.flip_privilege, self.flip_privilege, self.flip_member, self.flip_group_no,
            self.flip_own_no, self.flip_enabled, self.rename_table, self.replace_table, self.replace_role,
            self.change_what_all_change, self.say_of_shared_role,
        ]  # fmt: skip
        # At first something that shows the table, or most of what follows would look at denials.
        for action in [self.flip_role, self.flip_privilege]:
            action()
            self.check_everywhere(action.__name__)
        while not self.nodes.is_over.is_set():
            # Mostly one step away from where the table is shown.
            wrong = [name for name in ("holds", "allow") if not self.state[name]]
            wrong += [name for name in ("own_no", "group_no") if self.state[name]]
            wrong += [] if self.state["enabled"] else ["enabled"]
            if wrong and self.choice.random() < 0.7:
                back = {"holds": self.flip_role, "allow": self.flip_privilege, "own_no": self.flip_own_no,
                        "group_no": self.flip_group_no, "enabled": self.flip_enabled}  # fmt: skip
                action = back[self.choice.choice(wrong)]
            else:
                action = self.choice.choice(actions)
            try:
                action()
            except GivenUp:
                return
            self.changes += 1
            self.check_everywhere(action.__name__)


class _Change:
    """A change of a client's state, from when it is asked for until it is answered."""

    def __init__(self, client, state):
        self.client = client
        self.entry = [time.monotonic(), None, state]

    def __enter__(self):
        with self.client.lock:
            self.client.timeline.append(self.entry)

    def __exit__(self, kind, error, traceback):
        if error is None:
            self.entry[1] = time.monotonic()
            self.client.state = self.entry[2]


class Reader:
    """Reads what the others change, as those whom it concerns, at any moment."""

    def __init__(self, all_nodes, clients, number):
        self.nodes = all_nodes
        self.clients = clients
        self.choice = random.Random(1000 + number)
        self.reads = self.overlapping = 0

    def __call__(self):
        while not self.nodes.is_over.wait(PAUSE):
            client = self.choice.choice(self.clients)
            try:
                if self.choice.random() < 0.7:
                    self.look(client)
                else:
                    self.list(client)
            except Unanswered:
                continue
            self.reads += 1

    def possible(self, client, begin, end):
        """The states that a request between two moments may have seen."""
        with client.lock:
            timeline = list(client.timeline)
        states = []
        for entry, following in itertools.zip_longest(timeline, timeline[1:]):
            replaced = following[1] if following else None
            if entry[0] <= end and (replaced is None or replaced >= begin):
                states.append(entry[2])
        self.overlapping += len(states) > 1
        return states

    def look(self, client):
        table = client.timeline[-1][2]["table"]
        begin = time.monotonic()
        answer = client.look(table)
        states = self.possible(client, begin, time.monotonic())
        may_show = {state["table"] == table and client.shows(state) for state in states}
        assert answer.status in (200, 403, 404), f"{client.user}: {answer}"
        verdict = "false allow" if answer.status == 200 else "false denial"
        assert (answer.status == 200) in may_show, f"{verdict} for {client.user} of {table}, states {states}: {answer}"

    def list(self, client):
        begin = time.monotonic()
        answer = self.nodes.ask(client.user, "GET", *TABLES)
        states = self.possible(client, begin, time.monotonic())
        if answer.status != 200:
            # Who is suspended sees no schema.
            assert answer.status in (403, 404) and not all(state["enabled"] for state in states), answer
            return
        named = {identifier["name"] for identifier in answer.body["identifiers"]}
        possible = [{state["table"]} if client.shows(state) else set() for state in states]
        # Between drop and creation there is no table at all.
        assert named in [*possible, *([set()] if len(states) > 1 else [])], f"{client.user} lists {named}, states {states}"


def prepare(all_nodes, folder):
    must = all_nodes.must
    must("POST", "api", "metalakes", body={"name": "m"})
    catalog = {"name": "c", "type": "relational", "provider": "lakehouse-iceberg",
               "properties": {"warehouse": (folder / "warehouse").as_uri()}}  # fmt: skip
    must("POST", *M, "catalogs", body=catalog)
    must("POST", *CATALOG, "schemas", body={"name": "s"})
    must("POST", *TABLES, body=table_body("common"))
    way = [securable("m", "METALAKE", use_catalog="ALLOW", use_schema="ALLOW")]
    for name, objects in [("way", way), ("shared", [])]:
        must("POST", *M, "roles", body={"name": name, "securableObjects": objects})
    no = [securable("c.s", "SCHEMA", select_table="DENY")]

    def client(number):
        made = Client(all_nodes, number)
        must("POST", "api", "idp", "users", body={"user": made.user, "password": PASSWORD})
        must("POST", *M, "users", body={"name": made.user})
        must("POST", "api", "idp", "groups", body={"group": made.group})
        must("POST", *M, "groups", body={"name": made.group})
        must("POST", *M, "roles", body={"name": made.role, "securableObjects": []})
        must("POST", *M, "roles", body={"name": made.no, "securableObjects": no})
        must("POST", *TABLES, body=table_body(f"t{number}"))
        must("POST", *TABLES, body=table_body(f"mark{number}"))
        must("PUT", *M, "permissions", "users", made.user, "grant", body={"roleNames": ["way"]})
        return made

    return [client(number) for number in range(HALF)]


def check_nothing_lost(all_nodes, clients):
    """Of what all of them change together, and of what each changes alone."""
    common = all_nodes.must("GET", *TABLES, "common")["table"]["properties"]
    lost = set().union(*(client.shared for client in clients)) - set(common)
    assert not lost, f"properties are lost: {sorted(lost)[:10]}"
    shared = all_nodes.must("GET", *M, "roles", "shared")["role"]["securableObjects"]
    named = {said["fullName"] for said in shared}
    lost = {f"c.s.mark{client.number}" for client in clients if client.said_of_shared_role} - named
    assert not lost, f"privileges are lost: {lost}"
    for client in clients:
        client.check_stored()
        client.check_everywhere("the end")


def churn(all_nodes, folder, seconds, kills):
    """Lets all clients work for a time, with so many kills spread over it."""
    clients = prepare(all_nodes, folder)
    readers = [Reader(all_nodes, clients, number) for number in range(HALF)]

    def wait(seconds):
        def made():
            return sum(client.changes for client in clients)

        deadline = time.monotonic() + seconds
        least = made() + LEAST_CHANGES / (kills + 1)
        while time.monotonic() < deadline or made() < least:
            if all_nodes.is_over.wait(0.05):
                return

    def control():
        for kill in range(kills):
            wait(seconds / (kills + 1))
            all_nodes.nodes[kill % len(all_nodes.nodes)].kill_and_start()
        wait(seconds / (kills + 1))

    all_nodes.run([*clients, *readers], control)
    check_nothing_lost(all_nodes, clients)
    total = {name: sum(getattr(client, name) for client in clients) for name in ["changes", "overtaken", "checks", "allowed", "denied"]}
    total["reads"] = sum(reader.reads for reader in readers)
    total["during changes"] = sum(reader.overlapping for reader in readers)
    print(f"{total}, {sum(node.kills for node in all_nodes.nodes)} kills, {all_nodes.asked} answers, {all_nodes.busy} busy")
    assert total["allowed"] > HALF and total["denied"] > HALF and total["reads"] > HALF


@pytest.mark.parametrize("kind", nodes.KINDS)
def test_what_was_answered_holds_everywhere(kind, tmp_path):
    with nodes.running(kind, tmp_path) as all_nodes:
        churn(all_nodes, tmp_path, QUICK_SECONDS, kills=1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", nodes.KINDS)
def test_what_was_answered_holds_for_long(kind, tmp_path):
    with nodes.running(kind, tmp_path) as all_nodes:
        churn(all_nodes, tmp_path, LONG_SECONDS, kills=10)
