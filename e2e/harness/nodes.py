# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Nodes that are killed and started again while many clients ask them, and clients that know what they heard."""

import base64
import contextlib
import json
import random
import threading
import time
from urllib.parse import quote, urlsplit

import urllib3

from . import postgres
from .server import ADMIN, PASSWORD, Server

ANSWER_SECONDS = 120
KINDS = ["one-sqlite", *(["two-postgres"] if postgres.is_available() else [])]


class Unanswered(Exception):
    """The node was killed before it answered: the change may have happened or not."""


class Answer:
    def __init__(self, status, body):
        self.status = status
        self.body = body

    @property
    def kind(self):
        """The type of an error, of either protocol."""
        error = self.body.get("error", self.body) if isinstance(self.body, dict) else {}
        return error.get("type") if isinstance(error, dict) else None

    def __repr__(self):
        return f"{self.status} {json.dumps(self.body)[:400]}"


class Node:
    """One server; while it is down nobody asks it."""

    def __init__(self, server):
        self.server = server
        self.life = 0  # which start this is; odd while it is being killed
        self.kills = 0

    def start(self):
        self.server.start()
        pool = {"maxsize": 100, "block": True, "retries": False, "timeout": ANSWER_SECONDS}
        addresses = {"api": self.server.native, "iceberg": self.server.iceberg.removesuffix("/iceberg")}
        self.pools = {
            name: urllib3.HTTPConnectionPool(urlsplit(url).hostname, urlsplit(url).port, **pool)
            for name, url in addresses.items()
        }

    def kill_and_start(self, pause=0.0):
        self.life += 1
        self.server.kill()
        time.sleep(pause)
        self.start()
        self.life += 1
        self.kills += 1

    def is_up(self):
        return self.life % 2 == 0


class Nodes:
    """One node on the embedded store, or two on one PostgreSQL."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.failures = []  # what went wrong, in words
        self.asked = self.busy = 0
        self.is_over = threading.Event()

    def ask(self, user, method, *path, body=None, node=None):
        """Asks one node, any that is up unless it is named; waits while there is none. `path` is given as segments."""
        while not (node.is_up() if node else any(other.is_up() for other in self.nodes)):
            time.sleep(0.02)
        chosen = node or random.choice([other for other in self.nodes if other.is_up()] or self.nodes)
        life = chosen.life
        url = "/" + "/".join(quote(segment, safe="?=&") if segment.startswith("?") else quote(segment, safe="") for segment in path)
        token = base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
        headers = {"Authorization": f"Basic {token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            response = chosen.pools[path[0]].request(method, url.replace("/?", "?"), body=data, headers=headers)
        except urllib3.exceptions.HTTPError as error:
            if chosen.life == life and chosen.is_up():
                raise AssertionError(f"{method} {url}: no answer of a node that lives: {error}") from error
            raise Unanswered(f"{method} {url}") from error
        self.asked += 1
        answer = Answer(response.status, json.loads(response.data) if response.data else None)
        # Clients that wait for each other for longer than the server lets them, on a machine that is slow enough, are told
        # that nothing was changed. Nothing else may be 5xx.
        if answer.status == 503 and "nothing was changed, try again" in json.dumps(answer.body):
            self.busy += 1
            return self.ask(user, method, *path, body=body, node=node)
        assert answer.status < 500, f"{method} {url}: {answer}"
        return answer

    def admin(self, method, *path, body=None):
        """Asks as the administrator; a change that was not answered is asked for until it is."""
        while True:
            with contextlib.suppress(Unanswered):
                return self.ask(ADMIN, method, *path, body=body)

    def must(self, method, *path, body=None):
        """As [`admin`], and succeeds."""
        answer = self.admin(method, *path, body=body)
        assert answer.status in (200, 204), f"{method} {path}: {answer}"
        return answer.body

    def run(self, clients, controller):
        """Runs clients, each a function without arguments that ends when `is_over` is set, while the controller works;
        raises what went wrong with any of them."""
        threads = [threading.Thread(target=self._guarded, args=[client], daemon=True) for client in [*clients]]
        for thread in threads:
            thread.start()
        self._guarded(controller)
        self.is_over.set()
        for thread in threads:
            thread.join(ANSWER_SECONDS)
            assert not thread.is_alive(), "a client does not end"
        assert not self.failures, "\n".join(self.failures[:5])

    def _guarded(self, work):
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told in the test's own thread
            self.failures.append(f"{type(error).__name__}: {error}")
            self.is_over.set()


@contextlib.contextmanager
def running(kind, folder, properties=None):
    """Nodes of a kind, which end with the test."""
    with contextlib.ExitStack() as stack:
        if kind == "one-sqlite":
            servers = [Server(folder / "one", None, properties)]
        else:
            url = stack.enter_context(postgres.fresh_database())
            shared = {**(properties or {}), "lakeward.data-dir": folder / "shared"}
            servers = [Server(folder / name, url, shared) for name in ["one", "two"]]
        nodes = [Node(server) for server in servers]
        for node in nodes:
            stack.callback(node.server.kill)
            node.start()
        yield Nodes(nodes)
        for node in nodes:
            node.server.stop()
