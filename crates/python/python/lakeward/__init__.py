# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads governed Iceberg tables: every answer holds only the rows and values that the caller may see.

    import lakeward, pyarrow

    with lakeward.connect("grpc+tls://gateway.example.com:8815", user="ann", password=secret) as connection:
        table = pyarrow.table(connection.sql("SELECT * FROM shop.tpch.customer"))

The rows have the Arrow PyCapsule interface, which pyarrow, pandas, polars and DuckDB take as it is.
"""

from __future__ import annotations

from ._lakeward import (
    AuthenticationError,
    ConfigurationError,
    Connection,
    Error,
    LimitError,
    QueryError,
    RefusedError,
    Rows,
    TableUse,
    UnreachableError,
    __version__,
)

__all__ = [
    "AuthenticationError",
    "ConfigurationError",
    "Connection",
    "Error",
    "LimitError",
    "QueryError",
    "RefusedError",
    "Rows",
    "TableUse",
    "UnreachableError",
    "__version__",
    "connect",
]


def connect(address, **options):
    """Connects one user with a gateway, or with the reader in this process.

    ``address`` decides which: ``grpc+tls://HOST:PORT`` is a gateway, which people use. ``https://HOST:PORT`` is a
    server's listener for trusted readers; the reader then runs in this process, which takes the certificate of a reader
    (``identity``) and is for operators.

    Keywords for both: ``user`` and ``password``, or ``token``. For a gateway: ``authority``, a file with the authority
    of its certificate; without it, what this machine trusts. For the reader in this process: ``identity``, the folder
    that ``lakeward reader enroll`` writes; ``catalog`` and ``schema`` of names without one; ``timeout`` of a query in
    seconds; ``memory`` for sorts, joins and aggregations in MiB.
    """
    return Connection(address, **options)
