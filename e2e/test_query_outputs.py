# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""`lakeward query` as people run it: in this process and through a gateway, in every format, to files, from files."""

import csv
import io
import json
import stat

import pyarrow
import pyarrow.parquet
import pytest

from harness import flights, masks, python_package
from harness.gateway import Gateway
from harness.lake import CATALOG
from harness.query import CommandFailed, Reader, run
from harness.server import PASSWORD

TABLE = f"{CATALOG}.air.flights"
SQL = f"SELECT flight_id, tailnum, dep_delay FROM {TABLE} ORDER BY flight_id"
WAYS = ["in process", "gateway"]


@pytest.fixture(scope="module")
def reader(embedded_lake, tmp_path_factory):
    lake = embedded_lake
    lake.add_user("ann")
    lake.add_readers("ann")
    lake.add_user("eve")
    catalog = lake.pyiceberg()
    catalog.create_namespace("air")
    catalog.create_table("air.flights", schema=flights.table().schema).append(flights.table())
    lake.add_tag("private")
    lake.assign("table", TABLE, "private")
    lake.add_policy("rows", "row_filter", 'filter := col("origin") == "JFK"', "private")
    lake.add_tag("plane")
    lake.assign("column", f"{TABLE}.tailnum", "plane")
    lake.add_policy("planes", "column_mask", 'mask := action("show-last-4")', "plane")
    return Reader(lake.server, tmp_path_factory.mktemp("reader"))


@pytest.fixture(scope="module")
def gateway(reader, tmp_path_factory):
    gateway = Gateway(reader.server, reader.identity, tmp_path_factory.mktemp("gateway")).start()
    try:
        yield gateway
        gateway.stop()
    finally:
        gateway.kill()


@pytest.fixture(params=WAYS)
def query(request, reader):
    """Runs `lakeward query` as a user, either way."""
    if request.param == "in process":
        way = ["--server", reader.server.reader, "--identity", reader.identity]
    else:
        gateway = request.getfixturevalue("gateway")
        way = ["--gateway", gateway.url, "--authority", gateway.authority]

    def query(*arguments, user="ann", password=PASSWORD):
        return run("query", *way, "--user", user, *arguments, password=password)

    return query


@pytest.fixture(scope="module")
def expected():
    rows = [row for row in flights.table().to_pylist() if row["origin"] == "JFK"]
    return [
        {
            "flight_id": row["flight_id"],
            "tailnum": masks.show_last_4(row["tailnum"]),
            "dep_delay": row["dep_delay"],
        }
        for row in rows
    ]


def test_every_text_format_holds_the_same_rows(query, expected):
    assert json.loads(query("--format", "json", SQL)) == expected
    lines = query("--format", "json-lines", SQL).splitlines()
    assert [json.loads(line) for line in lines] == expected
    rows = list(csv.DictReader(io.StringIO(query("--format", "csv", SQL))))
    texts = [{name: "" if value is None else str(value) for name, value in row.items()} for row in expected]
    assert rows == texts
    shown = query("--max-rows", "2", SQL).splitlines()
    assert len(shown) == 6 and expected[0]["tailnum"] in shown[3]


def test_a_parquet_file_has_the_types_and_only_its_owner_reads_it(query, expected, tmp_path):
    file = tmp_path / "flights.parquet"
    assert query("--format", "parquet", "--output", file, SQL) == ""
    table = pyarrow.parquet.read_table(file)
    assert table.to_pylist() == expected
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_there_is_never_half_an_answer_in_a_file(query, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("before")
    sql = f"{SQL}; SELECT nothing FROM {TABLE}"
    with pytest.raises(CommandFailed) as failed:
        query("--format", "csv", "--output", file, sql)
    assert "statement 2 of 2" in failed.value.error and failed.value.code == 2
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_several_statements_come_from_a_file(query, expected, tmp_path):
    script = tmp_path / "report.sql"
    script.write_text(f"-- first; the count\nSELECT count(*) AS n FROM {TABLE};\n{SQL};\n")
    lines = query("--format", "json-lines", "--file", script).splitlines()
    assert json.loads(lines[0]) == {"n": len(expected)}
    assert [json.loads(line) for line in lines[1:]] == expected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "parquet", "SELECT 1; SELECT 2"], "one statement"),
        (["; -- nothing"], "no statement"),
        (["SELECT 'a"], "cannot be told apart"),
        (["--file", "/nowhere/report.sql"], "cannot be read"),
        (["--output", "/nowhere/rows.csv", "SELECT 1"], "cannot be written"),
        (["DROP TABLE t"], "SELECT"),
        ([f"EXPLAIN ANALYZE SELECT * FROM {TABLE}"], "EXPLAIN ANALYZE"),
    ],
)
def test_what_cannot_be_done_is_said(query, arguments, said):
    with pytest.raises(CommandFailed) as failed:
        query(*arguments)
    assert said in failed.value.error and failed.value.code == 2


def test_an_explanation_shows_restrictions_and_no_hidden_value(query):
    text = query("--explain", SQL)
    assert "show-last-4" in text and "JFK" not in text


def test_only_the_right_person_gets_in(query, reader, gateway):
    for user, password in [("ann", "wrong-password-here"), ("nobody", PASSWORD)]:
        with pytest.raises(CommandFailed) as failed:
            query(SQL, user=user, password=password)
        assert "does not know who you are" in failed.value.error
    with pytest.raises(CommandFailed) as failed:
        query(SQL, user="eve")
    assert "flight_id" not in failed.value.error
    # Without the authority the gateway's certificate is nobody's.
    with pytest.raises(CommandFailed) as failed:
        run("query", "--gateway", gateway.url, "--user", "ann", SQL, password=PASSWORD)
    assert "could not be reached" in failed.value.error


def test_python_reads_through_the_gateway(gateway, expected, tmp_path):
    lakeward = python_package.load(tmp_path)
    options = {"user": "ann", "password": PASSWORD, "authority": gateway.authority}
    with lakeward.connect(gateway.url, **options) as connection:
        rows = connection.sql(SQL)
        assert rows.tables is None
        assert pyarrow.table(rows).to_pylist() == expected
        some = connection.sql(f"SELECT flight_id FROM {TABLE} WHERE flight_id = $1", [expected[3]["flight_id"]])
        assert pyarrow.table(some).to_pylist() == [{"flight_id": expected[3]["flight_id"]}]
        with pytest.raises(lakeward.QueryError):
            connection.sql("SELECT $1", [])
    with lakeward.connect(gateway.url, **{**options, "user": "eve"}) as connection:
        with pytest.raises(lakeward.RefusedError):
            connection.sql(SQL)
    with lakeward.connect(gateway.url, **{**options, "password": "wrong-password-here"}) as connection:
        with pytest.raises(lakeward.AuthenticationError):
            connection.sql(SQL)


LARGE = """
    SELECT a, b FROM (
        SELECT a, b, repeat(CAST(a * 1000 + b AS varchar), 40) AS t
        FROM (SELECT unnest(range(0, 200)) AS a), (SELECT unnest(range(0, 1000)) AS b))
    ORDER BY t"""


def test_what_does_not_fit_goes_to_the_disk_and_is_removed(reader, tmp_path):
    """`--spill` in this process: the same answer, and an empty folder at the end, however it comes."""

    def query(*options):
        way = ["--server", reader.server.reader, "--identity", reader.identity, "--user", "ann"]
        return run("query", *way, "--format", "csv", *options, LARGE, password=PASSWORD)

    with pytest.raises(CommandFailed, match="--memory.*no folder"):
        query("--memory", "16")
    folder = tmp_path / "spilled"
    assert query("--memory", "16", "--spill", folder) == query()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [entry.name for entry in folder.iterdir()] == [".lock"]
    with pytest.raises(CommandFailed, match="--spill-limit"):
        query("--memory", "16", "--spill", folder, "--spill-limit", "1")
    assert [entry.name for entry in folder.iterdir()] == [".lock"]
