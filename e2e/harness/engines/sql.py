# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""What engines that speak SQL do alike."""

from ..lake import CATALOG
from .literals import values


class SqlSession:
    """A session of an engine that has `sql(statement)`, which runs a statement and answers its rows."""

    catalog = CATALOG
    columns = "(id BIGINT, name VARCHAR)"

    def name(self, table):
        """The table as a statement names it."""
        return f"{self.catalog}.{table}"

    def create(self, table):
        self.sql(f"CREATE TABLE {self.name(table)} {self.columns}")

    def append(self, table, rows):
        self.sql(f"INSERT INTO {self.name(table)} VALUES {values(rows)}")

    def delete(self, table, number):
        self.sql(f"DELETE FROM {self.name(table)} WHERE id = {number}")

    def rows(self, table):
        return sorted(self.sql(f"SELECT id, name FROM {self.name(table)}"))
