# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""What each query engine gets: everything of an ordinary table, nothing of a restricted one. And why it must be so: all
of them ignore `read-restrictions`."""

import json

import pytest

from harness import tokens, wire_schema
from harness.engines import ENGINES, engine
from harness.forwarder import Forwarder
from harness.lake import CAPABILITY, CAPABILITY_HEADER, CATALOG

ROWS = [(1, "Oslo"), (2, "Bergen"), (3, "Oslo")]
# What a server answers to a reader that enforces it: one of the rows, and no names.
RESTRICTIONS = {
    "required-row-filter": {
        "type": "eq",
        "left": {"type": "reference", "id": 1},
        "right": {"type": "literal", "value": 2, "data-type": "long"},
    },
    "required-column-projections": [{"field-id": 2, "action": "replace-with-null"}],
}


@pytest.fixture(scope="module")
def lake(embedded_lake):
    embedded_lake.add_user("ann")
    embedded_lake.add_writers("ann")
    embedded_lake.pyiceberg().create_namespace("towns")
    return embedded_lake


@pytest.fixture(params=ENGINES)
def run(request):
    return engine(request.param)


def table_of(run, purpose):
    """A table for one engine and one test, so that tests do not meet."""
    return f"towns.{run.__name__.rpartition('.')[2]}_{purpose}"


def restrict(lake, table):
    """Restricts a table for everybody and answers the name of the policy."""
    name = table.partition(".")[2]
    lake.add_tag(name)
    lake.assign("table", f"{CATALOG}.{table}", name)
    lake.add_policy(name, "row_filter", 'filter := col("name") == "Bergen"', name)
    return name


def test_an_engine_works_until_its_table_is_restricted(lake, run):
    table = table_of(run, "refused")
    loads = f"/tables/{table.partition('.')[2]}"
    with Forwarder(lake.server.iceberg) as wire, run.connect(wire.url, "ann") as session:
        session.create(table)
        session.append(table, ROWS[:2])
        session.append(table, ROWS[2:])
        assert session.rows(table) == ROWS

        def refusal(session):
            """The engine's error of the same query, and the statuses of its loads."""
            before = len(wire.statuses("GET", loads))
            with pytest.raises(Exception) as refused:
                session.rows(table)
            return str(refused.value), set(wire.statuses("GET", loads)[before:])

        policy = restrict(lake, table)
        message, statuses = refusal(session)
        assert statuses == {406} and CAPABILITY in message
        with run.connect(wire.url, "ann", {CAPABILITY_HEADER: CAPABILITY}) as forger:
            message, statuses = refusal(forger)
            assert statuses == {403} and "reader" in message
        lake.enable_policy(policy, False)
        assert session.rows(table) == ROWS


def test_an_engine_presents_a_bearer_token(token_lake, run):
    table = table_of(run, "token")
    user = run.__name__.rpartition(".")[2]
    token_lake.add_user(user)
    token_lake.add_role(
        user, ["use_catalog", "use_schema", "create_schema", "create_table", "select_table", "modify_table"], [user]
    )
    token_lake.pyiceberg(user).create_namespace_if_not_exists("towns")
    with run.connect(token_lake.server.iceberg, "", token=tokens.token(user)) as session:
        session.create(table)
        session.append(table, ROWS)
        assert session.rows(table) == ROWS
    with pytest.raises(Exception, match="(?i)401|unauthorized|authenticat|token"):
        with run.connect(token_lake.server.iceberg, "", token=tokens.token(user, secret=b"x" * 32)) as session:
            session.rows(table)


def test_an_engine_would_ignore_restrictions_that_it_is_given(lake, run):
    """Not what should be: what is. If this fails, an engine learned to enforce, and docs/engines.md needs a change."""
    table = table_of(run, "ignoring")
    loads = f"/tables/{table.partition('.')[2]}"
    given = []

    def give(method, path, status, body):
        if method == "GET" and status == 200 and path.partition("?")[0].endswith(loads):
            given.append(path)
            answer = {**json.loads(body), "read-restrictions": RESTRICTIONS}
            wire_schema.check(answer)
            return json.dumps(answer).encode()
        return body

    with Forwarder(lake.server.iceberg) as wire, run.connect(wire.url, "ann") as session:
        session.create(table)
        session.append(table, ROWS)
        wire.change = give
        assert session.rows(table) == ROWS
    assert given
