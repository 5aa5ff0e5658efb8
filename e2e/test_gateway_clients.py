# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""ADBC's Flight SQL driver, as people use it from pyarrow, pandas and polars, against a gateway: what each user sees, what
tools list, how statements end, and who gets in."""

import datetime
import decimal
import threading

import adbc_driver_flightsql.dbapi as flight_sql
import adbc_driver_manager
import pandas
import polars
import pyarrow
import pytest
import trustme
from adbc_driver_flightsql import ConnectionOptions, DatabaseOptions, StatementOptions

from harness import people, tokens
from harness.lake import CATALOG
from harness.people import SCHEMA, TABLE, VIEW
from harness.server import PASSWORD

ALL = f"SELECT * FROM {TABLE} ORDER BY id"
# Much work over few rows: only a limit of time ends it, and it meets no limit of memory before.
ENDLESS = "SELECT max(a * b + c) FROM " + ", ".join(f"(SELECT unnest(range(0, 3000)) AS {name})" for name in "abc")


@pytest.fixture(scope="module")
def lake(token_lake):
    people.build(token_lake)
    return token_lake


@pytest.fixture(scope="module")
def gateway(lake, tmp_path_factory):
    with people.gateway(lake, tmp_path_factory.mktemp("clients")) as gateway:
        yield gateway


@pytest.fixture
def connect(gateway):
    opened = []

    def connect(user="ann", password=PASSWORD, uri=None, authority=None, **options):
        credentials = {} if user is None else {"username": user, "password": password}
        connection = flight_sql.connect(
            uri or gateway.url,
            db_kwargs={
                DatabaseOptions.TLS_ROOT_CERTS.value: authority or gateway.authority.read_text(),
                **credentials,
                **options,
            },
            autocommit=True,
        )
        opened.append(connection)
        return connection

    yield connect
    for connection in opened:
        connection.close()


def rows(connection, sql, parameters=None):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetch_arrow_table().to_pylist()


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_each_user_sees_their_rows_and_masks(connect, user):
    assert rows(connect(user), ALL) == people.seen_by(user)


def test_pandas_and_polars_read_the_same(connect):
    expected = people.seen_by("ann")
    with connect("ann").cursor() as cursor:
        cursor.execute(ALL)
        frame = cursor.fetch_df()
    assert frame["id"].tolist() == [row["id"] for row in expected]
    assert [None if pandas.isna(name) else name for name in frame["name"]] == [row["name"] for row in expected]
    frame = polars.read_database(ALL, connect("ann"))
    assert frame["id"].to_list() == [row["id"] for row in expected]
    assert frame["bonus"].to_list() == [row["bonus"] for row in expected]
    assert frame["tags"].to_list() == [row["tags"] for row in expected]


def test_batches_come_as_they_are_read(connect):
    with connect("ann").cursor() as cursor:
        cursor.execute(f"SELECT id FROM {TABLE}")
        reader = cursor.fetch_record_batch()
        assert isinstance(reader, pyarrow.RecordBatchReader)
        assert sum(batch.num_rows for batch in reader) == len(people.seen_by("ann"))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", 41),
        ("region", "north"),
        ("bonus", decimal.Decimal("11.00")),
        ("born", datetime.date(1970, 2, 14)),
        ("seen", datetime.datetime(2024, 5, 17, 12, 0, 44)),
        ("score", 11.0),
        ("level", 4),
        ("active", True),
        ("badge", b"badge 44"),
    ],
)
def test_a_parameter_of_each_type(connect, column, value):
    expected = [row["id"] for row in people.seen_by("ann") if row[column] == value]
    found = rows(connect("ann"), f"SELECT id FROM {TABLE} WHERE {column} = ? ORDER BY id", [value])
    assert [row["id"] for row in found] == expected


def test_parameters_are_values_and_nothing_else(connect):
    connection = connect("bob")
    assert rows(connection, f"SELECT id FROM {TABLE} WHERE region = ?", ["south' OR '1' = '1"]) == []
    assert rows(connection, "SELECT ? AS a, ? AS b", ["x", 1]) == [{"a": "x", "b": 1}]
    with pytest.raises(adbc_driver_manager.Error):
        rows(connection, f"SELECT id FROM {TABLE} WHERE id = ?")


def test_a_prepared_statement_runs_again_with_other_values(connect):
    with connect("ann").cursor() as cursor:
        schema = cursor.adbc_prepare(f"SELECT id FROM {TABLE} WHERE id = ?")
        assert schema is None or len(schema) == 1
        for number in (4, 8, 5):
            cursor.execute(f"SELECT id FROM {TABLE} WHERE id = ?", [number])
            visible = people.ROWS[number]["region"] == "north"
            assert cursor.fetchall() == ([(number,)] if visible else [])


def test_the_schema_of_a_statement_is_told_without_running_it(connect):
    with connect("bob").cursor() as cursor:
        schema = cursor.adbc_execute_schema(ALL)
    assert schema.names == [field.name for field in people.FIELDS.fields]
    assert schema.field("pay").type == pyarrow.decimal128(12, 2)


def listed(connection, depth, **filters):
    """`get_objects` as nested dictionaries: catalog, schema, table, columns."""
    found = {}
    for catalog in connection.adbc_get_objects(depth=depth, **filters).read_all().to_pylist():
        schemas = found.setdefault(catalog["catalog_name"], {})
        for schema in catalog["catalog_db_schemas"] or []:
            tables = schemas.setdefault(schema["db_schema_name"], {})
            for table in schema["db_schema_tables"] or []:
                columns = [column["column_name"] for column in table["table_columns"] or []]
                tables[table["table_name"]] = (table["table_type"], columns)
    return found


def test_objects_at_every_depth(connect):
    connection = connect("bob")
    names = [field.name for field in people.FIELDS.fields]
    assert listed(connection, "catalogs") == {CATALOG: {}}
    assert listed(connection, "db_schemas") == {CATALOG: {"corp": {}, SCHEMA: {}, "open": {}}}
    tables = listed(connection, "tables")
    assert tables[CATALOG][SCHEMA] == {"people": ("TABLE", [])}
    columns = {"numbers": ["n", "a_b"], "num_ers": ["n", "a_b"], "other": ["n", "a_b"], "staff": ["number", "called", "paid"]}
    kinds = {name: "VIEW" if name == "staff" else "TABLE" for name in columns}
    assert tables[CATALOG]["open"] == {name: (kind, []) for name, kind in kinds.items()}
    everything = listed(connection, "all")[CATALOG]
    assert everything[SCHEMA] == {"people": ("TABLE", names)}
    assert everything["open"] == {name: (kinds[name], columns[name]) for name in columns}


def test_objects_by_patterns(connect):
    connection = connect("bob")

    def tables(**filters):
        found = listed(connection, "tables", **filters)
        return {table for schemas in found.values() for tables in schemas.values() for table in tables}

    assert tables(db_schema_filter="open", table_name_filter="num%") == {"numbers", "num_ers"}
    assert tables(db_schema_filter="open", table_name_filter="num_ers") == {"numbers", "num_ers"}
    assert tables(db_schema_filter="open", table_name_filter="num\\_ers") == {"num_ers"}
    assert tables(db_schema_filter="corp%") == {"people"}
    assert tables(db_schema_filter="corp.__") == {"people"}
    assert tables(db_schema_filter="corp") == set()
    assert tables(catalog_filter="nope") == set()
    assert tables(table_types_filter=["VIEW"]) == {"staff"}
    assert tables(table_types_filter=["VIEW"], table_name_filter="num%") == set()
    assert tables(table_types_filter=["TABLE"], db_schema_filter="open") == {"numbers", "num_ers", "other"}


def test_who_may_see_nothing_is_shown_nothing(connect):
    connection = connect("eve")
    # Where there is no catalog, the driver tells of one without a name.
    assert listed(connection, "all") in ({}, {"": {}})
    with pytest.raises(adbc_driver_manager.Error):
        rows(connection, ALL)


def test_columns_say_what_they_are_and_that_they_are_masked(connect):
    for user, name in [("ann", "full name [masked (show-last-4)]"), ("bob", "full name [masked (replace-with-null)]")]:
        schema = connect(user).adbc_get_table_schema("people", catalog_filter=CATALOG, db_schema_filter=SCHEMA)

        def said(column, what, schema=schema):
            return schema.field(column).metadata.get(f"ARROW:FLIGHT:SQL:{what}".encode(), b"").decode()

        assert schema.names == [field.name for field in people.FIELDS.fields]
        assert said("id", "REMARKS") == "number of the person"
        assert said("name", "REMARKS") == name
        assert said("pay", "TYPE_NAME") == "DECIMAL" and said("pay", "PRECISION") == "12"
        assert said("joined", "TYPE_NAME") == "TIMESTAMP WITH TIME ZONE"
        assert said("region", "REMARKS") == ""
        assert not schema.field("id").nullable and schema.field("level").nullable
        # What is filtered is nobody's business.
        assert "north" not in str(schema.to_string(show_field_metadata=True))


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_a_view_shows_each_user_what_its_table_would(connect, user):
    connection = connect(user)
    schema = connection.adbc_get_table_schema("staff", catalog_filter=CATALOG, db_schema_filter="open")
    assert schema.names == ["number", "called", "paid"]
    assert schema.field("paid").type == pyarrow.decimal128(12, 2)
    expected = [
        {"number": row["id"], "called": row["name"], "paid": row["pay"]} for row in people.seen_by(user)
    ]
    assert rows(connection, f"SELECT * FROM {VIEW} ORDER BY number") == expected
    found = rows(connection, f"SELECT number FROM {VIEW} WHERE number < ? ORDER BY number", [9])
    assert [row["number"] for row in found] == [row["number"] for row in expected if row["number"] < 9]


def test_a_table_that_cannot_be_read_says_why_when_it_is_asked_for(lake, connect):
    lake.add_tag("clash")
    lake.assign("table", f"{CATALOG}.open.other", "clash")
    lake.add_policy("clash-1", "row_filter", 'filter := col("n") > 1', "clash")
    lake.add_policy("clash-2", "row_filter", 'filter := col("n") > 2', "clash")
    connection = connect("bob")
    try:
        with pytest.raises(adbc_driver_manager.Error, match="conflict") as refused:
            connection.adbc_get_table_schema("other", catalog_filter=CATALOG, db_schema_filter="open")
        assert "clash" not in str(refused.value)
        # Among others it has no columns, and the others have theirs.
        tables = listed(connection, "all")[CATALOG]["open"]
        assert tables["other"] == ("TABLE", []) and tables["numbers"] == ("TABLE", ["n", "a_b"])
    finally:
        lake.enable_policy("clash-2", False)


def test_facts_and_table_types(connect):
    connection = connect("bob")
    facts = connection.adbc_get_info()
    assert facts["vendor_name"] == "Lakeward"
    assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]


def test_nothing_is_written(connect):
    connection = connect("ann")
    for sql in [
        f"INSERT INTO {CATALOG}.open.numbers VALUES (1, 'x')",
        f"DELETE FROM {CATALOG}.open.numbers",
        "CREATE TABLE x (a INT)",
        f"DROP TABLE {CATALOG}.open.numbers",
    ]:
        with pytest.raises(adbc_driver_manager.Error) as refused, connection.cursor() as cursor:
            cursor.execute(sql)
        assert "SELECT" in str(refused.value), sql
    with pytest.raises(adbc_driver_manager.Error), connection.cursor() as cursor:
        cursor.adbc_ingest("x", pyarrow.table({"a": [1]}))
    assert rows(connection, f"SELECT count(*) AS n FROM {CATALOG}.open.numbers") == [{"n": 10}]


def test_a_change_of_policy_applies_to_the_next_statement_of_an_open_connection(lake, connect):
    connection = connect("bob")
    sql = f"SELECT id, pay FROM {TABLE} ORDER BY id"
    with connection.cursor() as prepared:
        prepared.adbc_prepare(sql)
        prepared.execute(sql)
        assert {row[1] for row in prepared.fetchall()} == {None}
        lake.enable_policy("by-pay", False)
        try:
            shown = [(row["id"], row["pay"]) for row in people.ROWS if row["region"] == "south"]
            prepared.execute(sql)
            assert prepared.fetchall() == shown
            assert [(row["id"], row["pay"]) for row in rows(connection, sql)] == shown
        finally:
            lake.enable_policy("by-pay")
        assert {row["pay"] for row in rows(connection, sql)} == {None}


def test_users_with_open_connections_do_not_mix(connect):
    connections = {user: connect(user) for user in ("ann", "bob")}
    wrong = []

    def run(user):
        for _ in range(5):
            if rows(connections[user], ALL) != people.seen_by(user):
                wrong.append(user)

    threads = [threading.Thread(target=run, args=(user,)) for user in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_query_is_cancelled_from_another_thread(connect):
    with connect("ann").cursor() as cursor:
        begun = threading.Event()

        def cancel():
            begun.wait()
            cursor.adbc_cancel()

        thread = threading.Thread(target=cancel)
        thread.start()
        # Cancelling what has not begun does nothing, so a statement that has is cancelled.
        threading.Timer(1, begun.set).start()
        with pytest.raises(adbc_driver_manager.Error, match="(?i)cancel"):
            cursor.execute(ENDLESS)
            cursor.fetchall()
        thread.join()


def test_a_timeout_of_the_client_ends_the_query(connect):
    connection = connect("ann", **{ConnectionOptions.TIMEOUT_FETCH.value: "1"})
    with pytest.raises(adbc_driver_manager.Error, match="(?i)deadline|timeout|timed out"), connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**{StatementOptions.TIMEOUT_FETCH.value: 1.0})
        cursor.execute(ENDLESS)
        cursor.fetchall()
    # The connection is as good as before.
    assert rows(connect("ann"), "SELECT 1 AS n") == [{"n": 1}]


def test_a_wrong_password_is_refused(connect):
    with pytest.raises(adbc_driver_manager.Error, match="(?i)unauthenticated|know who you are"):
        rows(connect("ann", password="wrong-horse-battery"), "SELECT 1")


def test_without_credentials_nothing_is_told(connect):
    with pytest.raises(adbc_driver_manager.Error, match="(?i)unauthenticated|say who you are"):
        rows(connect(None), "SELECT 1")


def test_a_bearer_token_is_its_user(connect):
    def with_token(token):
        return connect(None, **{DatabaseOptions.AUTHORIZATION_HEADER.value: f"Bearer {token}"})

    assert rows(with_token(tokens.token("bob")), ALL) == people.seen_by("bob")
    with pytest.raises(adbc_driver_manager.Error):
        rows(with_token(tokens.token("bob", secret=bytes(32))), "SELECT 1")


def test_a_gateway_of_another_authority_is_refused(connect):
    other = trustme.CA().cert_pem.bytes().decode()
    with pytest.raises(adbc_driver_manager.Error, match="(?i)certificate|x509|authority"):
        rows(connect("ann", authority=other), "SELECT 1")


def test_an_unencrypted_connection_gets_nowhere(gateway, connect):
    plain = gateway.url.replace("grpc+tls", "grpc+tcp").replace("https", "grpc+tcp")
    with pytest.raises(adbc_driver_manager.Error):
        rows(connect("ann", uri=plain), "SELECT 1")
