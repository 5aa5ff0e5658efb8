# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Access tokens, made with the command, in the hands of clients; and a storm of guesses beside them."""

from concurrent.futures import ThreadPoolExecutor

import pyarrow
import pytest
import requests
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import ForbiddenError, UnauthorizedError

from harness.lake import CATALOG, METALAKE
from harness.query import CommandFailed, run
from harness.server import PASSWORD

ROWS = pyarrow.table({"id": [1, 2]})


def token(lake, *arguments, user="ann"):
    """`lakeward token …` as a user; its output."""
    return run("token", *arguments, "--server", lake.server.native, "--user", user, password=PASSWORD).strip()


def test_a_token_reads_and_does_not_write(embedded_lake, tmp_path):
    lake = embedded_lake
    lake.add_user("ann")
    lake.add_writers("ann")
    file = tmp_path / "etl.token"
    scope = ("--expires-in", "1d", "--metalake", METALAKE)
    assert token(lake, "create", "etl", *scope, "--read-only", "--out", file) == str(file)
    assert file.stat().st_mode & 0o077 == 0
    secret = file.read_text().strip()
    # A file that is there is kept, and no token is made that nobody has.
    with pytest.raises(CommandFailed, match="etl.token"):
        token(lake, "create", "again", *scope, "--out", file)
    assert file.read_text().strip() == secret
    assert "again" not in token(lake, "list")
    writing = token(lake, "create", "writing", *scope)

    def catalog(secret):
        return RestCatalog(CATALOG, uri=lake.server.iceberg, warehouse=CATALOG, token=secret)

    writer = catalog(writing)
    writer.create_namespace("sales")
    writer.create_table("sales.orders", schema=ROWS.schema).append(ROWS)
    reader = catalog(secret)
    assert reader.load_table("sales.orders").scan().to_arrow().num_rows == 2
    with pytest.raises(ForbiddenError, match="reading only"):
        reader.create_namespace("other")
    listed = token(lake, "list")
    assert "etl" in listed and secret not in listed and secret[:12] in listed
    token(lake, "revoke", "etl")
    with pytest.raises(UnauthorizedError):
        reader.load_table("sales.orders")
    with pytest.raises(CommandFailed):
        token(lake, "revoke", "etl")
    token(lake, "revoke", "writing", "--of", "ann", user="admin")
    with pytest.raises(UnauthorizedError):
        catalog(writing)


def test_a_storm_of_guesses_refuses_no_token(embedded_lake):
    lake = embedded_lake
    lake.add_user("bob")
    secret = token(lake, "create", "job", "--expires-in", "1h", user="bob")
    me = f"{lake.server.native}/api/authn/me"

    def guess(number):
        return requests.get(me, auth=("bob", f"wrong password {number}"), timeout=60).status_code

    with ThreadPoolExecutor(8) as pool:
        storm = [pool.submit(guess, number) for number in range(200)]
        for _ in range(20):
            answer = requests.get(me, headers={"Authorization": f"Bearer {secret}"}, timeout=60)
            assert answer.status_code == 200, answer.text
        statuses = [guessed.result() for guessed in storm]
    assert set(statuses) <= {401, 429} and 429 in statuses
