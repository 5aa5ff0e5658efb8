# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Servers for the tests: SQLite always, PostgreSQL when DATABASE_URL is set."""

import contextlib
import os

import pytest

from harness import postgres, tokens, wire_schema
from harness.lake import Lake
from harness.process import Service
from harness.server import Server

STORES = ["sqlite", *(["postgres"] if postgres.is_available() else [])]


# Lanes beside the quick one: the mark of their tests, the variable that turns them on, and why they are skipped.
LANES = {
    "slow": ("LAKEWARD_E2E_ALL", "takes long; runs with --all"),
    "kit": ("LAKEWARD_E2E_KIT", "needs Java and a download of 230 MB; runs with --kit"),
    "jdbc": ("LAKEWARD_E2E_KIT", "needs Java and a download of 45 MB; runs with --kit"),
    "kerberos": ("LAKEWARD_E2E_KERBEROS", "needs MIT Kerberos and a build of its own; runs with --kerberos"),
    "trino": ("LAKEWARD_E2E_TRINO", "downloads 821 MB; runs with --trino"),
}


def pytest_collection_modifyitems(items):
    for item in items:
        for mark, (variable, reason) in LANES.items():
            if item.get_closest_marker(mark) and not os.environ.get(variable):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        for service in sorted(Service.running, key=lambda one: str(one.log)):
            if trouble := service.trouble():
                report.sections.append((f"log of the {service.name} in {service.log.parent.name}", trouble))
    return report


@pytest.fixture(scope="session", autouse=True)
def _wire_is_watched():
    with pytest.MonkeyPatch.context() as patch:
        wire_schema.watch(patch)
        yield


@contextlib.contextmanager
def _store(kind):
    if kind == "sqlite":
        yield None
    else:
        with postgres.fresh_database() as url:
            yield url


@contextlib.contextmanager
def _running(kind, folder, properties=None):
    with _store(kind) as url:
        server = Server(folder, url, properties).start()
        try:
            yield server
            server.stop()
        finally:
            server.kill()


@pytest.fixture(scope="module", params=STORES)
def server(request, tmp_path_factory):
    """A server of this module alone, with nothing in it."""
    with _running(request.param, tmp_path_factory.mktemp(request.param)) as server:
        yield server


@pytest.fixture(scope="module")
def lake(server):
    """A metalake with an Iceberg catalog on the server of this module."""
    return Lake(server).create()


@pytest.fixture(params=STORES)
def own_server(request, tmp_path):
    """A server of this test alone, which it may stop, kill and start."""
    with _running(request.param, tmp_path / "server") as server:
        yield server


@pytest.fixture(scope="module")
def embedded_lake(tmp_path_factory):
    """A metalake of this module on the embedded store, where the store makes no difference."""
    with _running("sqlite", tmp_path_factory.mktemp("embedded")) as server:
        yield Lake(server).create()


@pytest.fixture
def own_embedded_server(tmp_path):
    """A server of this test alone on the embedded store."""
    with _running("sqlite", tmp_path / "server") as server:
        yield server


@pytest.fixture(scope="module")
def token_lake(tmp_path_factory):
    """A metalake of this module on a server that takes bearer tokens too."""
    with _running("sqlite", tmp_path_factory.mktemp("tokens"), tokens.PROPERTIES) as server:
        yield Lake(server).create()
