# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Trino, one server on loopback for the whole run; every session is a catalog of its own in it.

Trino 476 can present a bearer token to an Iceberg catalog, but neither a password nor a header of choice. A hop between
them adds both.
"""

import atexit
import base64
import contextlib
import functools
import itertools
import os
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

import pytest
import requests

from .. import java
from ..forwarder import Forwarder
from ..lake import CATALOG
from ..server import PASSWORD
from .sql import SqlSession

VERSION = "476"
OLDEST_JAVA = 24
START_SECONDS = 180
STOP_SECONDS = 60
STATEMENT_SECONDS = 120
# Of the plugins that it brings; a plugin shares files with others, so all are unpacked first.
KEPT_PLUGINS = {"iceberg"}


def require():
    if java.home(OLDEST_JAVA) is None:
        pytest.fail(f"Trino {VERSION} needs Java {OLDEST_JAVA} or later")
    if not java.has_maven():
        pytest.fail("Trino comes through Maven (Debian: maven)")


def _distribution():
    """The folder with the unpacked server, kept between runs: it is large."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lakeward-e2e"
    folder = cache / f"trino-server-{VERSION}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as made:
            with tarfile.open(java.artifact("io.trino", "trino-server", VERSION, "tar.gz")) as packed:
                packed.extractall(made, filter="data")
            (unpacked,) = Path(made).iterdir()
            for plugin in (unpacked / "plugin").iterdir():
                if plugin.name not in KEPT_PLUGINS:
                    shutil.rmtree(plugin)
            unpacked.rename(folder)
    return folder


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@functools.cache
def _trino():
    """The address of the one server of this process."""
    distribution = _distribution()
    folder = tempfile.TemporaryDirectory(prefix="lakeward-trino-")
    url = f"http://127.0.0.1:{_free_port()}"
    etc = Path(folder.name) / "etc"
    etc.mkdir()
    files = {
        "node.properties": [
            "node.environment=test",
            f"node.data-dir={folder.name}/data",
            "node.bind-ip=127.0.0.1",
            "node.internal-address=127.0.0.1",
        ],
        "config.properties": [
            "coordinator=true",
            "node-scheduler.include-coordinator=true",
            f"http-server.http.port={url.rpartition(':')[2]}",
            f"discovery.uri={url}",
            "catalog.management=dynamic",
            "query.max-memory-per-node=256MB",
        ],
        "jvm.config": [
            "-Xmx1536m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:ReservedCodeCacheSize=256M",
            "-Djdk.attach.allowAttachSelf=true",
            "--add-modules=jdk.incubator.vector",
        ],
    }
    for name, lines in files.items():
        (etc / name).write_text("".join(f"{line}\n" for line in lines))
    home = java.home(OLDEST_JAVA)
    log = Path(folder.name) / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [distribution / "bin/launcher", "run", "--etc-dir", etc],
            env={**os.environ, "JAVA_HOME": str(home), "PATH": f"{home}/bin:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip

    def stop():
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        folder.cleanup()

    atexit.register(stop)
    deadline = time.monotonic() + START_SECONDS
    while not _is_ready(url):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
        told = log.read_text(errors="replace")[-4000:]
        assert process.poll() is None and time.monotonic() < deadline, f"Trino did not start:\n{told}"
    return url


def _is_ready(url):
    try:
        return not requests.get(f"{url}/v1/info", timeout=5).json()["starting"]
    except (requests.RequestException, ValueError):
        return False


class StatementFailed(Exception):
    """Trino's own error of a statement, with what caused it: the catalog's words are only there."""


def _told(failure):
    """The messages of a failure and its causes, outermost first."""
    messages = []
    while failure:
        messages.append(failure.get("message") or failure["type"])
        failure = failure.get("cause")
    return "\n".join(messages)


_numbers = itertools.count(1)


class Session(SqlSession):
    def __init__(self, url, user, headers=None, token=None):
        self.trino = _trino()
        self.catalog = f"{CATALOG}{next(_numbers)}"
        credentials = base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
        basic = {"Authorization": f"Basic {credentials}"}
        self.hop = Forwarder(url, {**({} if token else basic), **(headers or {})})
        self.token = token

    def __enter__(self):
        self.hop.__enter__()
        security = ""
        if self.token:
            security = f"""
            "iceberg.rest-catalog.security" = 'OAUTH2',
            "iceberg.rest-catalog.oauth2.token" = '{self.token}',"""
        self.sql(
            f"""CREATE CATALOG {self.catalog} USING iceberg WITH (
            "iceberg.catalog.type" = 'rest',
            "iceberg.rest-catalog.uri" = '{self.hop.url}',
            "iceberg.rest-catalog.warehouse" = '{CATALOG}',
            {security}
            "fs.hadoop.enabled" = 'true')"""
        )
        return self

    def __exit__(self, *problem):
        self.sql(f"DROP CATALOG {self.catalog}")
        self.hop.__exit__(*problem)

    def sql(self, statement):
        """Runs a statement with Trino's own protocol: the next page until there is none."""
        deadline = time.monotonic() + STATEMENT_SECONDS
        answer = requests.post(
            f"{self.trino}/v1/statement", data=statement.encode(), headers={"X-Trino-User": "e2e"}, timeout=60
        )
        rows = []
        while True:
            answer.raise_for_status()
            page = answer.json()
            if "error" in page:
                raise StatementFailed(_told(page["error"]["failureInfo"]))
            rows.extend(tuple(row) for row in page.get("data", []))
            if "nextUri" not in page:
                return rows
            assert time.monotonic() < deadline, f"still running: {statement}"
            answer = requests.get(page["nextUri"], timeout=60)


connect = Session
