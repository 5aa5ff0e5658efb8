# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""SQL through the trusted reader, as an operator runs it."""

import io
import os
import subprocess

import pyarrow.csv

from .server import ADMIN, PASSWORD, binary

SECONDS = 300


class Reader:
    """An enrolled reader of one server."""

    def __init__(self, server, folder, name="e2e-reader"):
        self.server = server
        self.identity = folder / name
        run(
            "reader", "enroll", name, "--server", server.native, "--user", ADMIN, "--out", self.identity,
            password=PASSWORD,
        )  # fmt: skip

    def query(self, user, sql, types=None):
        """The rows as an Arrow table; `types` are the Arrow types of columns that CSV cannot tell."""
        output = self.run(user, sql, "--format", "csv")
        options = pyarrow.csv.ConvertOptions(
            column_types=types or {},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        return pyarrow.csv.read_csv(io.BytesIO(output.encode()), convert_options=options)

    def run(self, user, sql, *options):
        """Standard output of `lakeward query`."""
        return run(
            "query", "--server", self.server.reader, "--identity", self.identity, "--user", user, *options, sql,
            password=PASSWORD,
        )  # fmt: skip


class CommandFailed(Exception):
    """The command ended with another status than 0."""

    def __init__(self, code, error):
        self.code = code
        self.error = error
        super().__init__(f"exit status {code}: {error}")


def run(*arguments, password=None):
    """Runs `lakeward` and answers its standard output."""
    environment = dict(os.environ)
    if password is not None:
        environment["LAKEWARD_PASSWORD"] = password
    done = subprocess.run(
        [binary(), *map(str, arguments)],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    if done.returncode != 0:
        raise CommandFailed(done.returncode, done.stderr)
    return done.stdout
