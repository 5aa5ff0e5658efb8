# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The Python package against a real server: what users and their libraries get."""

import os
import pathlib
import subprocess
import sys
import venv

import duckdb
import pandas
import pyarrow
import pytest

from harness import flights, masks, python_package
from harness.lake import CATALOG
from harness.query import Reader
from harness.server import PASSWORD

TABLE = f"{CATALOG}.air.flights"


@pytest.fixture(scope="module")
def lakeward(tmp_path_factory):
    return python_package.load(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def identity(embedded_lake, tmp_path_factory):
    lake = embedded_lake
    lake.add_group("auditors")
    lake.add_user("ann", ["auditors"])
    lake.add_user("bob")
    lake.add_user("eve")
    lake.add_readers("ann", "bob")
    catalog = lake.pyiceberg()
    catalog.create_namespace("air")
    catalog.create_table("air.flights", schema=flights.table().schema).append(flights.table())
    lake.add_tag("private")
    lake.assign("table", TABLE, "private")
    lake.add_policy(
        "rows", "row_filter",
        'filter := col("origin") == "JFK" if is_group_member("auditors") else := col("origin") == "LGA"', "private",
    )  # fmt: skip
    lake.add_tag("plane")
    lake.assign("column", f"{TABLE}.tailnum", "plane")
    lake.add_policy("planes", "column_mask", 'mask := action("show-last-4")', "plane")
    return Reader(lake.server, tmp_path_factory.mktemp("reader")).identity


@pytest.fixture
def connect(lakeward, embedded_lake, identity):
    def connect(user, **options):
        return lakeward.connect(
            embedded_lake.server.reader, user=user, password=PASSWORD, identity=str(identity), **options
        )

    return connect


def expected(origin):
    rows = [row for row in flights.table().to_pylist() if row["origin"] == origin]
    return [{**row, "tailnum": masks.show_last_4(row["tailnum"])} for row in rows]


@pytest.mark.parametrize(("user", "origin"), [("ann", "JFK"), ("bob", "LGA")])
def test_every_row_is_right(connect, user, origin):
    with connect(user) as connection:
        rows = connection.sql(f"SELECT * FROM {TABLE} ORDER BY flight_id")
        (used,) = rows.tables
        assert (used.name, used.filtered, used.masks) == (TABLE, True, [("tailnum", "show-last-4")])
        assert pyarrow.table(rows).to_pylist() == expected(origin)


def test_common_libraries_take_the_rows(connect):
    count = len(expected("JFK"))
    sql = f"SELECT flight_id, tailnum FROM {TABLE} ORDER BY flight_id"
    with connect("ann", catalog=CATALOG, schema="air") as connection:
        reader = pyarrow.RecordBatchReader.from_stream(connection.sql(sql))
        assert sum(batch.num_rows for batch in reader) == count
        frame = pyarrow.table(connection.sql(sql)).to_pandas()
        assert isinstance(frame, pandas.DataFrame) and len(frame) == count
        rows = connection.sql("SELECT flight_id FROM flights")
        assert duckdb.sql("SELECT count(*) FROM rows").fetchall() == [(count,)]


def test_rows_outlive_their_connection(connect):
    connection = connect("ann")
    rows = connection.sql(f"SELECT * FROM {TABLE}")
    connection.close()
    del connection
    assert pyarrow.table(rows).num_rows == len(expected("JFK"))


def test_failures_tell_what_to_do(lakeward, connect, embedded_lake, identity):
    reader = embedded_lake.server.reader
    with connect("eve") as connection, pytest.raises(lakeward.RefusedError):
        connection.sql(f"SELECT count(*) FROM {TABLE}")
    with connect("ann") as connection:
        for sql in ["DROP TABLE t", "SELECT", f"SELECT nothing FROM {TABLE}", "SELECT 1; SELECT 2"]:
            with pytest.raises(lakeward.QueryError):
                connection.sql(sql)
        failing = connection.sql(f"SELECT 1 / (flight_id - flight_id) FROM {TABLE}")
        with pytest.raises((pyarrow.ArrowException, OSError), match="[Dd]ivide by zero"):
            pyarrow.table(failing)
    with lakeward.connect(reader, user="ann", password="wrong", identity=str(identity)) as connection:
        with pytest.raises(lakeward.AuthenticationError):
            connection.sql(f"SELECT count(*) FROM {TABLE}")
    with connect("ann", timeout=0.000001) as connection, pytest.raises(lakeward.LimitError):
        connection.sql(f"SELECT count(*) FROM {TABLE}")
    # Rows without an end, as far as a test can tell.
    numbers = "(SELECT unnest(range(0, 100000)) AS n)"
    with connect("ann", timeout=0.5) as connection:
        with pytest.raises((pyarrow.ArrowException, OSError, lakeward.LimitError), match="stopped after"):
            for _ in pyarrow.RecordBatchReader.from_stream(connection.sql(f"SELECT a.n FROM {numbers} a, {numbers} b")):
                pass


@pytest.mark.slow
def test_a_wheel_is_built_offline_and_installs_alone(tmp_path):
    source = pathlib.Path(python_package.SOURCE).parents[1]
    subprocess.run(
        [sys.executable, "-m", "maturin", "build", "--offline", "--profile", "dev", "--out", str(tmp_path)],
        cwd=source, check=True, timeout=3000,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    assert "-cp310-abi3-" in wheel.name
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", str(wheel)], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    program = "import lakeward; print(lakeward.connect('http://127.0.0.1:1').sql('SELECT 1 AS one').columns)"
    done = subprocess.run(
        [python, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
    )
    assert done.stdout == "['one']\n"
