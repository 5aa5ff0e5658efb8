# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Query engines as their users run them: each connects as one user and then creates, appends and reads.

`connect(url, user, headers, token)` of each module gives a session: as this user with the password of all, or as whom
the token names. It is a context manager with

- `create(table)`: an empty table `namespace.name` of `id` (64-bit integer) and `name` (string),
- `append(table, rows)`: one append of rows `(id, name)`,
- `delete(table, number)`: removes the rows of one id,
- `rows(table)`: all its rows of these two columns, sorted,

each of which raises whatever the engine raises; those that speak SQL also `sql(statement)`, with `name(table)` for a
table in it. What an engine needs is imported when it is first used, so that a lane without it can run; `require()`
fails a test with the reason where it cannot be had: whoever asks for a lane means it.
"""

import importlib

import pytest

# An engine with a mark runs only in the lane of that name; `e2e/run` says which there are.
ENGINES = [
    "pyiceberg",
    "duckdb",
    pytest.param("spark", marks=pytest.mark.slow),
    pytest.param("trino", marks=pytest.mark.trino),
]


def engine(name):
    """The module of an engine, ready to connect."""
    module = importlib.import_module(f"{__name__}.{name}")
    module.require()
    return module
