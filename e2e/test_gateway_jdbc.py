# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The Arrow Flight SQL JDBC driver against a gateway: connections, statements, parameters, types, and what tools such as
DBeaver list."""

import pytest
import trustme

from harness import jdbc, people, tokens
from harness.lake import CATALOG
from harness.people import SCHEMA, TABLE
from harness.server import PASSWORD

pytestmark = pytest.mark.jdbc

ENDLESS = f"SELECT a.id FROM {TABLE} a, {TABLE} b, {TABLE} c"


@pytest.fixture(scope="module")
def lake(token_lake):
    jdbc.require()
    people.build(token_lake)
    return token_lake


@pytest.fixture(scope="module")
def gateway(lake, tmp_path_factory):
    with people.gateway(lake, tmp_path_factory.mktemp("jdbc")) as gateway:
        yield gateway


@pytest.fixture
def login(gateway, tmp_path):
    """The line that connects."""

    def login(user="ann", password=PASSWORD, **others):
        return f"connect {jdbc.properties(tmp_path, gateway, user, password, **others)}"

    return login


def text(value):
    """As Java shows it."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_each_user_sees_their_rows_and_masks(login):
    sql = f"query SELECT id, name, region, pay, born, active FROM {TABLE} ORDER BY id"
    _, ann, _, bob = jdbc.perform(login("ann"), sql, login("bob"), sql)
    for user, rows in [("ann", ann), ("bob", bob)]:
        columns = ["id", "name", "region", "pay", "born", "active"]
        assert rows == [[text(row[column]) for column in columns] for row in people.seen_by(user)]


@pytest.mark.parametrize(
    ("kind", "value", "column"),
    [
        ("long", "44", "id"),
        ("int", "4", "level"),
        ("string", "north", "region"),
        ("decimal", "11.00", "bonus"),
        ("date", "1970-02-14", "born"),
        ("timestamp", "2024-05-17 12:00:44", "seen"),
        ("double", "11.0", "score"),
        ("float", "5.5", "share"),
        ("boolean", "true", "active"),
        ("bytes", "badge 44", "badge"),
    ],
)
def test_a_parameter_of_each_type(login, kind, value, column):
    sql = f"SELECT id FROM {TABLE} WHERE {column} = ? ORDER BY id"
    *_, found = jdbc.perform(login("ann"), f"prepare {sql}", f"set {kind} {value}", "run")
    given = people.ROWS[44][column] if kind != "string" else "north"
    expected = [[str(row["id"])] for row in people.seen_by("ann") if row[column] == given]
    assert found == expected and expected


def test_parameters_whose_type_nothing_tells_are_text(login):
    of_seen = f"prepare SELECT id FROM {TABLE} WHERE seen = CAST(? AS TIMESTAMP)"
    *_, found, _, _, said, _, _, time = jdbc.perform(
        login("ann"),
        of_seen, "set string 2024-05-17 12:00:44.000000", "run",
        "prepare SELECT ? AS said", "set string hello", "run",
        "prepare SELECT id FROM (SELECT 1 AS id, TIME '10:11:12' AS at) WHERE at = ?", "set time 10:11:12", "run",
    )  # fmt: skip
    assert (found, said) == ([["44"]], [["hello"]])
    # The driver has milliseconds only, which are not compared with finer times; refused, not compared wrongly.
    assert isinstance(time, jdbc.Failed) and "Time32(ms)" in str(time)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Oslo", "America/New_York"])
def test_times_are_the_same_in_every_time_zone_as_the_page_tells_to_ask_for_them(login, zone):
    of_one = f"FROM {TABLE} WHERE id = 44"
    _, joined, seen, born, whole, _, _, found = jdbc.perform(
        login("ann"),
        f"as OffsetDateTime SELECT joined {of_one}",
        f"as LocalDateTime SELECT seen {of_one}",
        f"as LocalDate SELECT born {of_one}",
        f"query SELECT joined, seen, born {of_one}",
        f"prepare SELECT id FROM {TABLE} WHERE seen = ?", "set timestamp 2024-05-17 12:00:44", "run",
        zone=zone,
    )  # fmt: skip
    assert joined == [["2024-05-19T08:00Z"]] and seen == [["2024-05-17T12:00:44"]] and born == [["1970-02-14"]]
    assert whole == [["2024-05-19 08:00:00.0", "2024-05-17 12:00:44.0", "1970-02-14"]]
    assert found == [["44"]]


def test_parameters_are_values_and_nothing_else(login):
    sql = f"prepare SELECT id FROM {TABLE} WHERE region = ? AND id < ?"
    answers = jdbc.perform(
        login("bob"), sql, "set string south' OR '1' = '1", "set long 9", "run",
        sql, "set string south", "set long 9", "run",
    )  # fmt: skip
    assert answers[4] == [] and answers[8] == [["1"], ["5"]]


def test_types_of_results(login):
    # Without a class that is asked for the driver has no object for an instant, whatever its unit and zone.
    columns = ", ".join(field.name for field in people.FIELDS.fields if field.name != "joined")
    _, types, joined = jdbc.perform(
        login("ann"), f"types SELECT {columns} FROM {TABLE} WHERE id = 4", f"query SELECT joined FROM {TABLE} WHERE id = 4"
    )
    assert joined == [["2024-05-17 16:00:00.0"]]
    assert {name: kind for name, _, kind in types} == {
        "id": "Long",
        "name": "String",
        "region": "String",
        "pay": "null",
        "born": "Date",
        "seen": "Timestamp",
        "score": "Double",
        "level": "Integer",
        "active": "Boolean",
        "badge": "byte[]",
        "share": "Double",
        "tags": "ArrowFlightJdbcArray",
        "bonus": "BigDecimal",
        "place": "JsonStringHashMap",
    }


def test_lists_of_metadata(login):
    _, catalogs, schemas, some, table_types, tables, by_pattern, by_type, keys, *foreign = jdbc.perform(
        login("bob"),
        "metadata getCatalogs",
        "metadata getSchemas null null",
        f"metadata getSchemas {CATALOG} corp%",
        "metadata getTableTypes",
        f"metadata getTables {CATALOG} open % null",
        f"metadata getTables {CATALOG} open num\\_ers TABLE,VIEW",
        "metadata getTables null null null VIEW",
        f"metadata getPrimaryKeys {CATALOG} {SCHEMA} people",
        f"metadata getImportedKeys {CATALOG} {SCHEMA} people",
        f"metadata getExportedKeys {CATALOG} {SCHEMA} people",
        f"metadata getCrossReference {CATALOG} {SCHEMA} people {CATALOG} open numbers",
    )
    assert catalogs == [[CATALOG]]
    assert sorted(row[0] for row in schemas) == ["corp", SCHEMA, "open"]
    assert sorted(row[0] for row in some) == ["corp", SCHEMA]
    assert table_types == [["TABLE"], ["VIEW"]]
    assert [row[:4] for row in tables] == [
        [CATALOG, "open", "num_ers", "TABLE"],
        [CATALOG, "open", "numbers", "TABLE"],
        [CATALOG, "open", "other", "TABLE"],
        [CATALOG, "open", "staff", "VIEW"],
    ]
    assert [row[2] for row in by_pattern] == ["num_ers"]
    assert [row[:4] for row in by_type] == [[CATALOG, "open", "staff", "VIEW"]]
    assert [row[:5] for row in keys] == [[CATALOG, SCHEMA, "people", "id", "1"]]
    assert foreign == [[], [], []]


def test_columns(login):
    _, columns, one = jdbc.perform(
        login("bob"),
        f"metadata getColumns {CATALOG} {SCHEMA} people null",
        f"metadata getColumns {CATALOG} {SCHEMA} people na%",
    )
    by_name = {row[2]: row for row in columns}
    assert [row[2] for row in columns] == [field.name for field in people.FIELDS.fields]
    for expected in [
        [SCHEMA, "people", "id", "BIGINT", "19", "0", "NO", "number of the person"],
        [SCHEMA, "people", "pay", "DECIMAL", "12", "2", "YES", "[masked (replace-with-null)]"],
        [SCHEMA, "people", "name", "VARCHAR", "65536", "null", "YES", "full name [masked (replace-with-null)]"],
        [SCHEMA, "people", "seen", "TIMESTAMP", "26", "6", "YES", ""],
        [SCHEMA, "people", "tags", "ARRAY", "null", "null", "YES", ""],
    ]:
        assert by_name[expected[2]] == expected
    assert [row[2] for row in one] == ["name"]


def test_facts(login):
    _, told = jdbc.perform(login("ann"), "facts")
    assert [row[0] for row in told] == [
        "product Lakeward",
        "read only true",
        "transactions false",
        "isolation 0",
        'quote "',
        "escape \\",
        "outer joins true",
        "group by true",
        "union all true",
        "catalog term catalog",
        "connections 0",
        "forward only true",
        "keywords true",
        "functions true",
    ]


def test_nothing_is_written(login):
    _, insert, drop, count = jdbc.perform(
        login("ann"),
        f"update INSERT INTO {CATALOG}.open.numbers VALUES (1, 'x')",
        f"update DROP TABLE {CATALOG}.open.numbers",
        f"query SELECT count(*) FROM {CATALOG}.open.numbers",
    )
    assert isinstance(insert, jdbc.Failed) and "SELECT" in str(insert)
    assert isinstance(drop, jdbc.Failed)
    assert count == [["10"]]


def test_a_query_is_cancelled(login):
    _, cancelled, after = jdbc.perform(login("ann"), f"cancel {ENDLESS}", "query SELECT 1")
    assert cancelled == [["true"], ["cancelled"]]
    assert after == [["1"]]


def test_who_gets_in(login, lake):
    wrong, none, token, rows, forged = jdbc.perform(
        login("ann", "wrong-horse-battery"),
        login(None),
        login(None, token=tokens.token("bob")),
        f"query SELECT count(*) FROM {TABLE}",
        login(None, token=tokens.token("bob", secret=bytes(32))),
    )
    assert isinstance(wrong, jdbc.Failed) and "know who you are" in str(wrong)
    assert rows == [[str(len(people.seen_by("bob")))]]
    # Without a login the driver connects when it is asked first.
    for refused in (none, forged):
        assert isinstance(refused, jdbc.Failed) or refused == [["true"]]
    _, nothing, _, nobody = jdbc.perform(
        login(None), "query SELECT 1", login(None, token=tokens.token("bob", secret=bytes(32))), "query SELECT 1"
    )
    assert isinstance(nothing, jdbc.Failed) and isinstance(nobody, jdbc.Failed)


def test_a_gateway_of_another_authority_is_refused(login, tmp_path):
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(other))
    refused, plain = jdbc.perform(login("ann", tlsRootCerts=other), login("ann", useEncryption="false"))
    assert isinstance(refused, jdbc.Failed) and isinstance(plain, jdbc.Failed)
