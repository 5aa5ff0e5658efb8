# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""PyIceberg, without an engine around it."""

import pyarrow
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.expressions import EqualTo

from ..lake import CATALOG
from ..server import PASSWORD

SCHEMA = pyarrow.schema([("id", pyarrow.int64()), ("name", pyarrow.string())])


def require():
    """It is in the environment of every lane."""


class Session:
    def __init__(self, url, user, headers=None):
        self.catalog = RestCatalog(
            CATALOG,
            uri=url,
            warehouse=CATALOG,
            auth={"type": "basic", "basic": {"username": user, "password": PASSWORD}},
            **{f"header.{name}": value for name, value in (headers or {}).items()},
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.catalog.close()

    def create(self, table):
        self.catalog.create_table(table, schema=SCHEMA)

    def append(self, table, rows):
        columns = dict(zip(SCHEMA.names, zip(*rows, strict=True), strict=True))
        self.catalog.load_table(table).append(pyarrow.table(columns, schema=SCHEMA))

    def delete(self, table, number):
        self.catalog.load_table(table).delete(EqualTo("id", number))

    def rows(self, table):
        return sorted(tuple(row.values()) for row in self.catalog.load_table(table).scan().to_arrow().to_pylist())


connect = Session
