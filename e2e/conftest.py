# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Servers for the tests: SQLite always, PostgreSQL when DATABASE_URL is set."""

import contextlib
import os

import pytest

from harness import postgres
from harness.lake import Lake
from harness.server import Server

STORES = ["sqlite", *(["postgres"] if postgres.is_available() else [])]


def pytest_collection_modifyitems(items):
    if os.environ.get("LAKEWARD_E2E_ALL"):
        return
    skip = pytest.mark.skip(reason="takes long; runs with --all")
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(skip)


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
