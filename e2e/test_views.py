# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Views that the server keeps, read through `lakeward query` and through a gateway: what stands in them is read as the
caller, behind the restrictions of the moment."""

import contextlib
import re

import adbc_driver_flightsql.dbapi as flight_sql
import pyarrow
import pytest
import requests
from adbc_driver_flightsql import DatabaseOptions

from harness import masks
from harness.lake import CATALOG
from harness.people import gateway
from harness.query import CommandFailed, Reader
from harness.server import ADMIN, PASSWORD

ROWS = [
    {"id": number, "region": ["north", "south"][number % 2], "phone": f"0{number}23-4567", "pay": number * 10}
    for number in range(6)
]
TABLE = f"{CATALOG}.shop.orders"
RULE_ROWS = 'filter := col("region") == "north" if session_user() == "ann" else := col("region") == "south"'
RULE_PHONE = 'mask := action("show-last-4") if session_user() == "ann" else := action("replace-with-null")'

LONG, TEXT = "long", "string"
# Name of a view, its columns, the SQL of one dialect.
VIEWS = [
    ("phones", [("id", LONG), ("number", TEXT)], "spark", "SELECT id, phone AS number FROM orders WHERE id > 0"),
    # Spark finds columns in any case and keeps the names of tables.
    ("loud", [("id", LONG), ("number", TEXT)], "spark", "SELECT ID, Phone FROM ice.shop.orders"),
    ("above", [("id", LONG), ("number", TEXT)], "spark", "SELECT p.id, p.number FROM phones AS p WHERE p.id >= 2"),
    ("by_region", [("region", TEXT), ("n", LONG)], "trino", "SELECT region, count(*) FROM orders GROUP BY region"),
    ("divided", [("half", LONG)], "spark", "SELECT pay / 2 FROM orders"),
    ("own_words", [("id", LONG)], "spark", "SELECT id FROM orders LATERAL VIEW explode(array(1)) AS x"),
    ("of_hive", [("id", LONG)], "hive", "SELECT id FROM orders"),
    ("vault_view", [("id", LONG)], "spark", "SELECT id FROM vault"),
]


def create_view(lake, name, columns, dialect, sql, user=ADMIN):
    """What an engine sends for CREATE VIEW."""
    fields = [
        {"id": number, "name": column, "required": False, "type": kind}
        for number, (column, kind) in enumerate(columns, start=1)
    ]
    version = {
        "version-id": 1, "timestamp-ms": 1_700_000_000_000, "schema-id": 0, "summary": {},
        "representations": [{"type": "sql", "sql": sql, "dialect": dialect}],
        "default-catalog": CATALOG, "default-namespace": ["shop"],
    }  # fmt: skip
    schema = {"type": "struct", "schema-id": 0, "fields": fields}
    answer = requests.post(
        f"{lake.server.iceberg}/v1/{CATALOG}/namespaces/shop/views",
        json={"name": name, "schema": schema, "view-version": version, "properties": {}},
        auth=(user, PASSWORD), timeout=60,
    )  # fmt: skip
    assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module")
def shop(lake):
    """Orders in two regions with masked phones, views over them, and who may read what.

    ann and bob may read tables and views, vic only views, tom only tables; nobody but the administrator `vault`.
    """
    for user in ["ann", "bob", "vic", "tom"]:
        lake.add_user(user)
    use = ["use_catalog", "use_schema"]
    lake.add_role("viewers", [*use, "select_view"], ["ann", "bob", "vic"])
    lake.add_role("users", use, ["tom"])
    catalog = lake.pyiceberg()
    catalog.create_namespace("shop")
    rows = pyarrow.Table.from_pylist(ROWS)
    for name in ["orders", "vault"]:
        catalog.create_table(f"shop.{name}", schema=rows.schema).append(rows)
    lake.add_role("buyers", ["select_table"], ["ann", "bob", "tom"], full_name=TABLE, kind="table")
    for tag, kind, at, policy, rule in [
        ("regional", "table", TABLE, "row_filter", RULE_ROWS),
        ("phone", "column", f"{TABLE}.phone", "column_mask", RULE_PHONE),
    ]:
        lake.add_tag(tag)
        lake.assign(kind, at, tag)
        lake.add_policy(f"by-{tag}", policy, rule, tag)
    for view in VIEWS:
        create_view(lake, *view)
    return lake


@pytest.fixture(scope="module")
def in_process(shop, tmp_path_factory):
    reader = Reader(shop.server, tmp_path_factory.mktemp("reader"))

    def query(user, sql):
        return reader.query(user, sql, {"number": pyarrow.string()}).to_pylist()

    return query


@pytest.fixture(scope="module")
def at_gateway(shop, tmp_path_factory):
    with gateway(shop, tmp_path_factory.mktemp("views")) as running, contextlib.ExitStack() as connections:
        authority = running.authority.read_text()
        # One connection for each user lives through all changes.
        open_connections = {
            user: connections.enter_context(
                flight_sql.connect(
                    running.url,
                    db_kwargs={"username": user, "password": PASSWORD, DatabaseOptions.TLS_ROOT_CERTS.value: authority},
                    autocommit=True,
                )
            )
            for user in ["ann", "bob", "vic", "tom"]
        }

        def query(user, sql):
            with open_connections[user].cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetch_arrow_table().to_pylist()

        yield query


@pytest.fixture(params=["in_process", "at_gateway"])
def query(request, shop):  # pytest must see here that there is a server
    """Answers the rows of a statement of a user."""
    return request.getfixturevalue(request.param)


def seen_by(user):
    """The orders of a user: id and phone."""
    region = "north" if user == "ann" else "south"
    mask = masks.show_last_4 if user == "ann" else lambda _: None
    return [(row["id"], mask(row["phone"])) for row in ROWS if row["region"] == region]


def pairs(rows):
    return [(row["id"], row["number"]) for row in rows]


def refused(query, user, sql):
    """Why a statement is refused."""
    with pytest.raises((CommandFailed, flight_sql.Error)) as failed:
        query(user, sql)
    return str(failed.value)


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_each_user_gets_their_own_rows_and_masks(query, user):
    seen = seen_by(user)
    assert pairs(query(user, f"SELECT * FROM {CATALOG}.shop.loud ORDER BY id")) == seen
    assert pairs(query(user, f"SELECT * FROM {CATALOG}.shop.phones ORDER BY id")) == [one for one in seen if one[0] > 0]
    # What a condition compares is the masked value.
    found = query(user, f"SELECT id, number FROM {CATALOG}.shop.loud WHERE number LIKE '0%' ORDER BY id")
    assert pairs(found) == [one for one in seen if one[1] is not None and one[1].startswith("0")]
    region = "north" if user == "ann" else "south"
    assert query(user, f"SELECT * FROM {CATALOG}.shop.by_region") == [{"region": region, "n": 3}]
    both = f"""
        SELECT v.id, t.phone AS number FROM {CATALOG}.shop.phones AS v JOIN {TABLE} AS t ON v.id = t.id ORDER BY v.id
    """
    assert pairs(query(user, both)) == [one for one in seen if one[0] > 0]


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_a_view_over_a_view_is_behind_the_same_restrictions(query, user):
    rows = query(user, f"SELECT * FROM {CATALOG}.shop.above ORDER BY id")
    assert pairs(rows) == [one for one in seen_by(user) if one[0] >= 2]


def test_a_changed_policy_counts_with_the_next_statement(query, shop):
    sql = f"SELECT * FROM {CATALOG}.shop.loud ORDER BY id"
    assert pairs(query("ann", sql)) == seen_by("ann")
    shop.enable_policy("by-regional", enable=False)
    try:
        assert pairs(query("ann", sql)) == [(row["id"], masks.show_last_4(row["phone"])) for row in ROWS]
        shop.enable_policy("by-phone", enable=False)
        assert pairs(query("bob", sql)) == [(row["id"], row["phone"]) for row in ROWS]
    finally:
        shop.enable_policy("by-phone")
        shop.enable_policy("by-regional")
    assert pairs(query("ann", sql)) == seen_by("ann")
    assert pairs(query("bob", sql)) == seen_by("bob")


def test_a_view_gives_nothing_that_its_reader_may_not_read(query):
    # The view is seen, the table in it is not, and neither its name nor its policies are told.
    for user, view in [("vic", "phones"), ("vic", "above"), ("ann", "vault_view")]:
        told = refused(query, user, f"SELECT * FROM {CATALOG}.shop.{view}")
        assert f"{CATALOG}.shop.{view}" in told and "you may not see it" in told
        for hidden in ["orders", "shop.vault ", "vault`", "by-", "regional", "select_table"]:
            assert hidden not in told
    # The table is seen, the view is not: it is as if there were none.
    one, none = (refused(query, "tom", f"SELECT * FROM {CATALOG}.shop.{name}") for name in ["phones", "absent"])
    one, none = (re.sub(r"request [0-9a-f-]+", "request", told) for told in [one, none])
    assert one.replace("phones", "absent") == none


@pytest.mark.parametrize("view", ["divided", "own_words", "of_hive"])
def test_what_means_something_else_here_is_refused(query, view):
    told = refused(query, "ann", f"SELECT * FROM {CATALOG}.shop.{view}")
    assert f"{CATALOG}.shop.{view}" in told and "docs/sql.md" in told


def test_a_view_has_no_versions(query):
    for clause in ["FOR VERSION AS OF 1", "FOR TIMESTAMP AS OF '2030-01-01'"]:
        assert "no versions of its own" in refused(query, "ann", f"SELECT * FROM {CATALOG}.shop.phones {clause}")


def test_an_explanation_of_a_view_names_what_is_enforced_and_nothing_it_compares_with(in_process):
    plan = str(in_process("ann", f"EXPLAIN SELECT * FROM {CATALOG}.shop.above"))
    assert "a required row filter applies" in plan and "phone (show-last-4)" in plan
    assert "north" not in plan and ".parquet" not in plan
