# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Engines share ordinary tables: what one writes and deletes, all others read alike, value by value."""

import contextlib
import datetime
import decimal

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
)

from harness.engines import engine
from harness.engines.literals import literal

SCHEMA = Schema(
    NestedField(1, "id", LongType()),
    NestedField(2, "name", StringType()),
    NestedField(3, "share", DoubleType()),
    NestedField(4, "is_old", BooleanType()),
    NestedField(5, "founded", DateType()),
    NestedField(6, "seen", TimestampType()),
    NestedField(7, "price", DecimalType(9, 2)),
)


def rows_of(writer):
    """Three rows of one writer: ordinary values, extreme ones, and nothing but nulls."""
    return [
        (
            writer * 10, f"Tromsø's {writer}", 0.1, True, datetime.date(1969, 12, 31),
            datetime.datetime(2026, 1, 31, 8, 0, 0, 123456), decimal.Decimal("12.50"),
        ),
        (
            writer * 10 + 1, "", -1.5e300, False, datetime.date(1, 1, 1),
            datetime.datetime(1900, 1, 1), decimal.Decimal("-9999999.99"),
        ),
        (writer * 10 + 2, None, None, None, None, None, None),
    ]  # fmt: skip


def count(session, table, row):
    """How many rows of a table equal this one, as the engine itself compares."""
    columns = [field.name for field in SCHEMA.fields]
    if not hasattr(session, "sql"):
        found = session.catalog.load_table(table).scan().to_arrow().to_pylist()
        return found.count(dict(zip(columns, row, strict=True)))
    condition = " AND ".join(
        f"{column} IS NULL" if value is None else f"{column} = {literal(value)}"
        for column, value in zip(columns, row, strict=True)
    )
    ((number,),) = session.sql(f"SELECT count(*) FROM {session.name(table)} WHERE {condition}")
    return number


@pytest.fixture(scope="module")
def lake(embedded_lake):
    embedded_lake.add_user("ann")
    embedded_lake.add_writers("ann")
    embedded_lake.pyiceberg().create_namespace("shared")
    return embedded_lake


@pytest.mark.parametrize(
    "engines",
    [
        ["pyiceberg", "duckdb"],
        pytest.param(["pyiceberg", "duckdb", "spark"], marks=pytest.mark.slow),
        pytest.param(["pyiceberg", "duckdb", "trino"], marks=pytest.mark.trino),
    ],
    ids="-".join,
)
def test_what_one_engine_writes_and_deletes_all_read_alike(lake, engines):
    table = f"shared.{'_'.join(engines)}"
    lake.pyiceberg("ann").create_table(table, schema=SCHEMA)
    with contextlib.ExitStack() as stack:
        sessions = [stack.enter_context(engine(name).connect(lake.server.iceberg, "ann")) for name in engines]
        expected = []
        for writer, session in enumerate(sessions, start=1):
            session.append(table, rows_of(writer))
            expected.extend(rows_of(writer))
        counts = [[count(session, table, row) for row in expected] for session in sessions]
        assert counts == [[1] * len(expected)] * len(sessions)
        for session in sessions:
            # Each deletes a row that another one wrote.
            gone = expected.pop(0)
            session.delete(table, gone[0])
            expected.append(expected.pop(0))
        ids = sorted(row[0] for row in expected)
        assert [[row[0] for row in session.rows(table)] for session in sessions] == [ids] * len(sessions)


@pytest.mark.slow
def test_spark_reads_metadata_tables_and_changes_schemas(lake):
    table = "shared.evolving"
    with engine("spark").connect(lake.server.iceberg, "ann") as session:
        session.create(table)
        session.append(table, [(1, "a")])
        session.append(table, [(2, "b")])
        name = session.name(table)
        snapshots = [
            number for (number,) in session.sql(f"SELECT snapshot_id FROM {name}.snapshots ORDER BY committed_at")
        ]
        assert len(snapshots) == 2
        assert session.sql(f"SELECT id FROM {name} VERSION AS OF {snapshots[0]}") == [(1,)]
        assert session.sql(f"SELECT count(*) FROM {name}.files") == [(2,)]
        session.sql(f"ALTER TABLE {name} ADD COLUMN note STRING")
        # The last column goes: what the client then states as the highest column id is lower than what was used.
        session.sql(f"ALTER TABLE {name} DROP COLUMN note")
        session.sql(f"ALTER TABLE {name} ADD COLUMN price DECIMAL(9, 2)")
        session.sql(
            f"MERGE INTO {name} t USING (SELECT 2 AS id, 'bb' AS name UNION ALL SELECT 3, 'c') s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
        )
        assert session.rows(table) == [(1, "a"), (2, "bb"), (3, "c")]
        session.sql(f"CREATE OR REPLACE TABLE {name} (id BIGINT) USING iceberg")
        assert session.sql(f"SELECT count(*) FROM {name}") == [(0,)]
        session.sql(f"DROP TABLE {name} PURGE")
    assert not lake.pyiceberg("ann").table_exists(table)
