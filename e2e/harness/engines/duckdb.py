# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""DuckDB with its Iceberg extension. The extension's files come from packages, so nothing is downloaded at run time."""

import base64
import functools
import importlib.resources
import tempfile
from pathlib import Path

import duckdb

from ..lake import CATALOG
from ..server import PASSWORD
from .sql import SqlSession

# What the extension `iceberg` loads, in this order.
EXTENSIONS = ["avro", "httpfs", "iceberg"]


def require():
    """It is in the environment of every lane."""


@functools.cache
def _extensions():
    """A folder with the files where DuckDB looks for them; it lives as long as the process."""
    with duckdb.connect() as connection:
        ((version,),) = connection.sql("SELECT library_version FROM pragma_version()").fetchall()
        ((platform,),) = connection.sql("PRAGMA platform").fetchall()
    folder = tempfile.TemporaryDirectory(prefix="lakeward-duckdb-")
    looked_in = Path(folder.name) / version / platform
    looked_in.mkdir(parents=True)
    for name in EXTENSIONS:
        file = f"{name}.duckdb_extension"
        packaged = importlib.resources.files(f"duckdb_extension_{name}") / "extensions" / version / file
        (looked_in / file).symlink_to(packaged)
    return folder


class Session(SqlSession):
    def __init__(self, url, user, headers=None, token=None):
        self.connection = duckdb.connect(
            config={"extension_directory": _extensions().name, "autoinstall_known_extensions": False}
        )
        for name in EXTENSIONS:
            self.connection.load_extension(name)
        if token:
            # A secret and headers exclude each other.
            assert not headers
            self.sql(f"CREATE SECRET bearer (TYPE iceberg, TOKEN '{token}')")
            authorization = "SECRET bearer"
        else:
            credentials = base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
            sent = {"Authorization": f"Basic {credentials}", **(headers or {})}
            entries = ", ".join(f"'{name}': '{value}'" for name, value in sent.items())
            authorization = f"AUTHORIZATION_TYPE 'none', EXTRA_HTTP_HEADERS MAP {{{entries}}}"
        self.sql(
            f"ATTACH '{CATALOG}' AS {CATALOG} (TYPE iceberg, ENDPOINT '{url}', {authorization}, "
            "ACCESS_DELEGATION_MODE 'none')"
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def sql(self, statement):
        """Runs a statement and answers its rows."""
        return self.connection.execute(statement).fetchall()


connect = Session
