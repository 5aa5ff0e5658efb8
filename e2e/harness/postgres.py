# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A fresh database on the PostgreSQL that DATABASE_URL names."""

import contextlib
import os
import uuid
from urllib.parse import unquote, urlsplit, urlunsplit

import pg8000.native


def _connect(url):
    parts = urlsplit(url)
    return pg8000.native.Connection(
        user=unquote(parts.username or "postgres"),
        password=unquote(parts.password or ""),
        host=parts.hostname or "127.0.0.1",
        port=parts.port or 5432,
        database=parts.path.lstrip("/") or "postgres",
    )


def is_available():
    return bool(os.environ.get("DATABASE_URL"))


@contextlib.contextmanager
def fresh_database():
    """The URL of a database that nobody else uses; it is dropped afterwards."""
    url = os.environ["DATABASE_URL"]
    name = f"lakeward_e2e_{uuid.uuid4().hex}"
    connection = _connect(url)
    connection.run(f"CREATE DATABASE {name}")
    try:
        yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
    finally:
        connection.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.close()
