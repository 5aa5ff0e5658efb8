# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Scans that the server plans, for PyIceberg and for Spark: the rows are those of a scan that the client plans."""

import datetime
import math

import pyarrow
import pytest
import requests
from pyiceberg.expressions import (
    AlwaysFalse,
    And,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNaN,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    NotEqualTo,
    NotIn,
    NotNaN,
    NotNull,
    NotStartsWith,
    Or,
    StartsWith,
)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DateType, DecimalType, DoubleType, LongType, NestedField, StringType, TimestamptzType

from harness.engines import engine
from harness.lake import CATALOG
from harness.server import ADMIN, PASSWORD

BY_SERVER = {"scan-planning-mode": "server"}
COLUMNS = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "kind", StringType(), required=True),
    NestedField(3, "at", TimestamptzType(), required=True),
    NestedField(4, "amount", DoubleType()),
    NestedField(5, "price", DecimalType(9, 2)),
    NestedField(6, "day", DateType()),
    NestedField(7, "since", DateType(), required=True),
)
BY_KIND_AND_DAY = PartitionSpec(
    PartitionField(2, 1000, IdentityTransform(), "kind"),
    PartitionField(7, 1001, IdentityTransform(), "since"),
)
START = datetime.datetime(1969, 12, 30, tzinfo=datetime.timezone.utc)
NOON = START + datetime.timedelta(days=1, hours=12)
FILTERS = [
    EqualTo("kind", "k1"),
    NotEqualTo("kind", "k1"),
    In("kind", {"k0", "k2"}),
    NotIn("kind", {"k0", "absent"}),
    StartsWith("kind", "k"),
    NotStartsWith("kind", "k1"),
    EqualTo("id", 17),
    And(GreaterThanOrEqual("id", 10), LessThan("id", 20)),
    Or(EqualTo("kind", "k2"), LessThanOrEqual("id", 3)),
    Not(Or(EqualTo("kind", "k2"), LessThanOrEqual("id", 3))),
    LessThan("at", NOON.isoformat()),
    GreaterThan("at", NOON),
    EqualTo("day", "1970-01-03"),
    LessThan("since", "1970-01-01"),
    Not(GreaterThan("since", datetime.date(1969, 12, 30))),
    GreaterThan("day", datetime.date(1970, 1, 20)),
    LessThan("amount", 5.0),
    GreaterThan("amount", 30.5),
    IsNull("amount"),
    NotNull("amount"),
    IsNaN("amount"),
    NotNaN("amount"),
    EqualTo("price", "7.50"),
    LessThan("price", "-1.00"),
    EqualTo("kind", "absent"),
    AlwaysFalse(),
]


def rows(start, count):
    amounts = [None if n % 7 == 0 else math.nan if n % 11 == 0 else float(n) for n in range(start, start + count)]
    return pyarrow.Table.from_pydict(
        {
            "id": list(range(start, start + count)),
            "kind": [f"k{n % 3}" for n in range(start, start + count)],
            "at": [START + datetime.timedelta(hours=2 * n) for n in range(start, start + count)],
            "amount": amounts,
            "price": pyarrow.array([n - 10 + 0.5 for n in range(start, start + count)]).cast(pyarrow.decimal128(9, 2)),
            "day": [None if n % 5 == 0 else datetime.date(1970, 1, 1 + n % 28) for n in range(start, start + count)],
            "since": [datetime.date(1969, 12, 28) + datetime.timedelta(days=n // 10) for n in range(start, start + count)],
        },
        schema=COLUMNS.as_arrow(),
    )


@pytest.fixture(scope="module")
def written(embedded_lake):
    client = embedded_lake.pyiceberg()
    client.create_namespace("plans")
    table = client.create_table("plans.t", schema=COLUMNS, partition_spec=BY_KIND_AND_DAY)
    for start in (0, 25):
        table.append(rows(start, 25))
    return embedded_lake


def ordered(table):
    key = lambda row: row["id"]  # noqa: E731
    return [tuple(map(str, row.values())) for row in sorted(table.to_pylist(), key=key)]


def planned(table, condition, **more):
    return {task.file.file_path for task in table.scan(row_filter=condition, **more).plan_files()}


@pytest.mark.parametrize("condition", FILTERS, ids=str)
def test_pyiceberg_reads_the_same_rows(written, condition):
    client = written.pyiceberg(**BY_SERVER)
    assert client.supports_server_side_planning()
    by_server, by_client = client.load_table("plans.t"), written.pyiceberg().load_table("plans.t")
    expected = ordered(by_client.scan(row_filter=condition).to_arrow())
    assert ordered(by_server.scan(row_filter=condition).to_arrow()) == expected
    assert by_server.scan(row_filter=condition).count() == len(expected)
    # Files are left out at least where PyIceberg itself would, which does not care for NaN.
    if "amount" not in repr(condition):
        assert planned(by_server, condition) <= planned(by_client, condition)


def test_pyiceberg_selects_columns_and_snapshots(written):
    by_server = written.pyiceberg(**BY_SERVER).load_table("plans.t")
    by_client = written.pyiceberg().load_table("plans.t")
    first = by_client.history()[0].snapshot_id
    assert len(planned(by_server, "id >= 0", snapshot_id=first)) < len(planned(by_server, "id >= 0"))
    for table in (by_server, by_client):
        selected = table.scan(row_filter="kind = 'k1'", selected_fields=("id",), snapshot_id=first).to_arrow()
        assert sorted(selected["id"].to_pylist()) == [n for n in range(25) if n % 3 == 1]
    exact = by_server.scan(row_filter="KIND == 'k1'", case_sensitive=False).to_arrow()
    assert exact.num_rows == sum(1 for n in range(50) if n % 3 == 1)


def test_nothing_more_is_planned_for_a_table_without_rows(written):
    client = written.pyiceberg(**BY_SERVER)
    table = client.create_table("plans.empty", schema=COLUMNS)
    assert list(table.scan().plan_files()) == []
    url = f"{written.server.iceberg.rstrip('/')}/v1/{CATALOG}/namespaces/plans/tables/empty/plan"
    answer = requests.post(url, json={}, auth=(ADMIN, PASSWORD), timeout=60)
    assert (answer.status_code, answer.json()["status"], answer.json()["file-scan-tasks"]) == (200, "completed", [])


@pytest.mark.slow
@pytest.mark.parametrize(("version", "granularity"), [(2, "file"), (2, "partition"), (3, "file")])
def test_deletes_of_spark_go_with_their_files(written, version, granularity):
    """Spark plans at the client and at the server, and PyIceberg at the server: all see the same rows left."""
    name = f"plans.deleted_{version}_{granularity}"
    properties = {
        "format-version": version,
        "write.delete.mode": "merge-on-read",
        "write.update.mode": "merge-on-read",
        "write.delete.granularity": granularity,
    }
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    spark = engine("spark")
    with spark.connect(written.server.iceberg, ADMIN) as session:
        table = session.name(name)
        session.sql(
            f"CREATE TABLE {table} (id BIGINT, kind STRING, note STRING) USING iceberg "
            f"PARTITIONED BY (kind, bucket(2, id)) TBLPROPERTIES ({listed})"
        )
        for start in (0, 300):
            session.sql(
                f"INSERT INTO {table} SELECT id, concat('k', CAST(id % 3 AS STRING)), "
                f"IF(id % 5 = 0, NULL, concat('note-', CAST(id AS STRING))) FROM range({start}, {start + 300})"
            )
        session.sql(f"DELETE FROM {table} WHERE id % 7 = 0")
        session.sql(f"UPDATE {table} SET note = 'changed' WHERE id % 10 = 3")
        session.sql(f"INSERT INTO {table} VALUES (7, 'k1', 'back')")
        session.sql(f"DELETE FROM {table} WHERE note = 'note-101'")
        conditions = ["true", "kind = 'k1'", "id < 50 AND kind <> 'k0'", "note IS NULL", "note > 'note-5'", "id IN (7, 8, 33)"]
        left = {
            condition: sorted(session.sql(f"SELECT id, kind, note FROM {table} WHERE {condition}"), key=str)
            for condition in conditions
        }
        assert any(session.sql(f"SELECT file_path FROM {table}.delete_files"))
    with spark.connect(written.server.iceberg, ADMIN, options=BY_SERVER) as session:
        table = session.name(name)
        for condition, expected in left.items():
            found = session.sql(f"SELECT id, kind, note FROM {table} WHERE {condition}")
            assert sorted(found, key=str) == expected, condition
    by_server = written.pyiceberg(**BY_SERVER).load_table(name)
    tasks = list(by_server.scan().plan_files())
    assert any(task.delete_files for task in tasks)
    found = [(row["id"], row["kind"], row["note"]) for row in by_server.scan().to_arrow().to_pylist()]
    assert sorted(found, key=str) == left["true"]
