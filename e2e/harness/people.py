# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A restricted table with a column of every common type, in a nested namespace, behind a gateway; and what each user sees
of it, computed here."""

import contextlib
import datetime
import decimal

import pyarrow
import requests
from pyiceberg import types
from pyiceberg.schema import Schema

from . import masks
from .gateway import Gateway
from .lake import CATALOG
from .native import TIMEOUT_SECONDS
from .query import Reader
from .server import ADMIN, PASSWORD

SCHEMA = "corp.hr"
TABLE = f'{CATALOG}."{SCHEMA}".people'
# A view over it in another schema.
VIEW = f"{CATALOG}.open.staff"
COUNT = 5000
REGIONS = ("north", "south", "east", "west")

FIELDS = Schema(
    types.NestedField(1, "id", types.LongType(), required=True, doc="number of the person"),
    types.NestedField(2, "name", types.StringType(), doc="full name"),
    types.NestedField(3, "region", types.StringType(), required=True),
    types.NestedField(4, "pay", types.DecimalType(12, 2)),
    types.NestedField(5, "born", types.DateType()),
    types.NestedField(6, "seen", types.TimestampType()),
    types.NestedField(7, "joined", types.TimestamptzType()),
    types.NestedField(8, "score", types.DoubleType()),
    types.NestedField(9, "level", types.IntegerType()),
    types.NestedField(10, "active", types.BooleanType()),
    types.NestedField(11, "badge", types.BinaryType()),
    types.NestedField(12, "share", types.FloatType()),
    types.NestedField(13, "tags", types.ListType(14, types.StringType())),
    types.NestedField(17, "bonus", types.DecimalType(9, 2)),
    types.NestedField(15, "place", types.StructType(types.NestedField(16, "city", types.StringType()))),
    identifier_field_ids=[1],
)
UTC = datetime.timezone.utc


def original(number):
    """One row as it was written; every seventh has nulls."""
    empty = number % 7 == 0
    return {
        "id": number,
        "name": None if empty else f"Person {number}",
        "region": REGIONS[number % len(REGIONS)],
        "pay": None if empty else decimal.Decimal(number) + decimal.Decimal("0.25"),
        "born": None if empty else datetime.date(1970, 1, 1) + datetime.timedelta(days=number),
        "seen": None if empty else datetime.datetime(2024, 5, 17, 12) + datetime.timedelta(seconds=number),
        "joined": None if empty else datetime.datetime(2024, 5, 17, 12, tzinfo=UTC) + datetime.timedelta(hours=number),
        "score": None if empty else number / 4,
        "level": None if empty else number % 10,
        "active": None if empty else number % 2 == 0,
        "badge": None if empty else b"badge %d" % number,
        "share": None if empty else number / 8,
        "tags": None if empty else [f"t{number % 3}", "all"],
        "bonus": None if empty else decimal.Decimal(number) / 4,
        "place": None if empty else {"city": f"city {number % 5}"},
    }


ROWS = [original(number) for number in range(COUNT)]


def seen_by(user):
    """The rows of a user in the order of `id`: ann sees the north with names cut; bob sees the south
    without names. Nobody sees what anybody is paid."""
    rows = [dict(row) for row in ROWS if row["region"] == ("north" if user == "ann" else "south")]
    for row in rows:
        row["name"] = masks.show_last_4(row["name"]) if user == "ann" else None
        row["pay"] = None
    return rows


RULE_ROWS = 'filter := col("region") == "north" if session_user() == "ann" else := col("region") == "south"'
RULE_NAME = 'mask := action("show-last-4") if session_user() == "ann" else := action("replace-with-null")'
RULE_PAY = 'mask := action("replace-with-null")'


def build(lake):
    """Makes users, the table and its restrictions."""
    lake.add_user("ann")
    lake.add_user("bob")
    lake.add_user("eve")
    lake.add_readers("ann", "bob")
    catalog = lake.pyiceberg()
    for namespace in [("corp",), ("corp", "hr"), ("open",)]:
        catalog.create_namespace(namespace)
    table = catalog.create_table(("corp", "hr", "people"), schema=FIELDS)
    # The catalog numbers nested fields anew.
    table.append(pyarrow.Table.from_pylist(ROWS, schema=table.schema().as_arrow()))
    numbers = pyarrow.table({"n": list(range(10)), "a_b": [str(n) for n in range(10)]})
    for name in ["numbers", "num_ers", "other"]:
        catalog.create_table(("open", name), schema=numbers.schema).append(numbers)
    # The native protocol separates the levels of a schema by a colon.
    full_name = f"{CATALOG}.corp:hr.people"
    for tag, kind, at, policy, rule in [
        ("region", "table", full_name, "row_filter", RULE_ROWS),
        ("name", "column", f"{full_name}.name", "column_mask", RULE_NAME),
        ("pay", "column", f"{full_name}.pay", "column_mask", RULE_PAY),
    ]:
        lake.add_tag(tag)
        lake.assign(kind, at, tag)
        lake.add_policy(f"by-{tag}", policy, rule, tag)
    build_view(lake)


def build_view(lake):
    """Makes the view as an engine would, which ann and bob may see."""
    lake.add_role("viewers", ["select_view"], ["ann", "bob"])
    fields = [
        {"id": 1, "name": "number", "required": False, "type": "long", "doc": "who it is"},
        {"id": 2, "name": "called", "required": False, "type": "string"},
        {"id": 3, "name": "paid", "required": False, "type": "decimal(12, 2)"},
    ]
    version = {
        "version-id": 1, "timestamp-ms": 1_700_000_000_000, "schema-id": 0, "summary": {},
        "default-catalog": CATALOG, "default-namespace": ["corp", "hr"],
        "representations": [{"type": "sql", "dialect": "spark", "sql": "SELECT id, name, pay FROM people"}],
    }  # fmt: skip
    made = requests.post(
        f"{lake.server.iceberg}/v1/{CATALOG}/namespaces/open/views",
        json={
            "name": "staff", "properties": {}, "view-version": version,
            "schema": {"type": "struct", "schema-id": 0, "fields": fields},
        },
        auth=(ADMIN, PASSWORD), timeout=TIMEOUT_SECONDS,
    )  # fmt: skip
    assert made.ok, made.text


@contextlib.contextmanager
def gateway(lake, folder, *options):
    """A running gateway of a reader that was enrolled for it."""
    folder.mkdir(parents=True, exist_ok=True)
    running = Gateway(lake.server, Reader(lake.server, folder, f"of-{folder.name}").identity, folder / "gateway", *options)
    try:
        yield running.start()
        running.stop()
    finally:
        running.kill()
