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
    def __init__(self, url, user, headers=None, token=None):
        basic = {"auth": {"type": "basic", "basic": {"username": user, "password": PASSWORD}}}
        self.catalog = RestCatalog(
            CATALOG,
            uri=url,
            warehouse=CATALOG,
            **({"token": token} if token else basic),
            **{f"header.{name}": value for name, value in (headers or {}).items()},
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.catalog.close()

    def create(self, table):
        self.catalog.create_table(table, schema=SCHEMA)

    def append(self, table, rows):
        loaded = self.catalog.load_table(table)
        schema = loaded.schema().as_arrow()
        columns = dict(zip(schema.names, zip(*rows, strict=True), strict=True))
        loaded.append(pyarrow.table(columns, schema=schema))

    def delete(self, table, number):
        self.catalog.load_table(table).delete(EqualTo("id", number))

    def rows(self, table):
        found = self.catalog.load_table(table).scan(selected_fields=("id", "name")).to_arrow().to_pylist()
        return sorted((row["id"], row["name"]) for row in found)


connect = Session
