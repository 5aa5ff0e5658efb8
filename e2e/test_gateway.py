# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Running gateways: several as one, certificates that are replaced, readers that are trusted no more, and policies that
change between statements. What clients see of it is in test_gateway_clients.py."""

import adbc_driver_flightsql.dbapi as flight_sql
import pyarrow
import pyarrow.flight
import pytest
from adbc_driver_flightsql import DatabaseOptions

from harness.gateway import Gateway
from harness.lake import CATALOG
from harness.query import CommandFailed, Reader, run
from harness.server import ADMIN, PASSWORD

TABLE = f"{CATALOG}.shop.orders"
SQL = f"SELECT id FROM {TABLE} ORDER BY id"


@pytest.fixture(scope="module")
def governed(lake):
    """Ten orders in two regions; ann sees one of them."""
    lake.add_user("ann")
    lake.add_readers("ann")
    catalog = lake.pyiceberg()
    catalog.create_namespace("shop")
    rows = pyarrow.table({"id": list(range(10)), "region": ["north", "south"] * 5})
    catalog.create_table("shop.orders", schema=rows.schema).append(rows)
    lake.add_tag("regional")
    lake.assign("table", f"{CATALOG}.shop.orders", "regional")
    lake.add_policy("by-region", "row_filter", 'filter := col("region") == "north"', "regional", enable=False)
    # A reader must be there before the first restriction counts.
    return lake


@pytest.fixture(scope="module")
def reader(governed, tmp_path_factory):
    reader = Reader(governed.server, tmp_path_factory.mktemp("identity"), "gateway")
    governed.enable_policy("by-region")
    return reader


@pytest.fixture
def start(governed, reader, tmp_path):
    started = []

    def start(name, *options):
        gateway = Gateway(governed.server, reader.identity, tmp_path / name, *options)
        started.append(gateway)
        return gateway.start()

    yield start
    try:
        for gateway in started:
            gateway.stop()
    finally:
        for gateway in started:
            gateway.kill()


def connect(gateway, **options):
    options = options or {"username": "ann", "password": PASSWORD}
    options[DatabaseOptions.TLS_ROOT_CERTS.value] = gateway.authority.read_text()
    return flight_sql.connect(gateway.url, db_kwargs=options, autocommit=True)


def ids(connection, sql=SQL, parameters=None):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetch_arrow_table()["id"].to_pylist()


NORTH = [0, 2, 4, 6, 8]


def test_a_session_goes_on_at_another_gateway(start, tmp_path):
    key = tmp_path / "session.key"
    key.touch(mode=0o600)
    key.write_bytes(bytes(range(32)))
    one, two, other = start("one", "--session-key", key), start("two", "--session-key", key), start("other")
    client = pyarrow.flight.FlightClient(one.url, tls_root_certs=one.authority.read_bytes())
    _, token = client.authenticate_basic_token("ann", PASSWORD)
    client.close()
    header = {DatabaseOptions.AUTHORIZATION_HEADER.value: token.decode()}
    with connect(two, **header) as connection:
        assert ids(connection) == NORTH
        assert ids(connection, f"SELECT id FROM {TABLE} WHERE id > ? ORDER BY id", (3,)) == [4, 6, 8]
    with connect(other, **header) as connection, pytest.raises(flight_sql.ProgrammingError, match="log in again"):
        ids(connection)


def test_a_changed_policy_counts_with_the_next_statement(start, governed):
    with connect(start("policy")) as connection:
        assert ids(connection) == NORTH
        governed.enable_policy("by-region", enable=False)
        try:
            assert ids(connection) == list(range(10))
        finally:
            governed.enable_policy("by-region")
        assert ids(connection) == NORTH


def test_certificates_are_replaced_while_the_gateway_runs(start):
    gateway = start("certificates")
    with connect(gateway) as open_connection:
        assert ids(open_connection) == NORTH
        gateway.certify()
        with connect(gateway) as connection:
            assert ids(connection) == NORTH
        assert ids(open_connection) == NORTH


def test_a_reader_that_is_trusted_no_more_reads_nothing_restricted(start, governed, reader):
    gateway = start("trust")
    admin = ("--server", governed.server.native, "--user", ADMIN)
    with connect(gateway) as connection:
        assert ids(connection) == NORTH
        run("reader", "remove", "gateway", *admin, password=PASSWORD)
        with pytest.raises(flight_sql.Error, match="not that of an enrolled and enabled reader"):
            ids(connection)
        # The new certificate counts without a restart.
        run("reader", "enroll", "gateway", *admin, "--out", reader.identity, password=PASSWORD)
        assert ids(connection) == NORTH


def test_it_does_not_start_in_the_open(governed, reader):
    for options, problem in [
        ([], "--tls-certificate"),
        (["--insecure-plaintext", "--listen", "0.0.0.0:0"], "loopback"),
        (["--insecure-plaintext", "--session-key", "/dev/null"], "session key"),
    ]:
        with pytest.raises(CommandFailed) as refusal:
            run("gateway", "--server", governed.server.reader, "--identity", reader.identity, *options)
        assert problem in refusal.value.error
