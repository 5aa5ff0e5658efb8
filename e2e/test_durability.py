# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever happens to the process, what was answered stays and everything opens again."""

import base64
import socket
import threading
from urllib.parse import urlsplit

import pyarrow
import pytest
import requests
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from harness.lake import CATALOG, METALAKE, Lake

SCHEMA = Schema(NestedField(1, "id", LongType(), required=True))


def rows(*numbers):
    return pyarrow.table({"id": list(numbers)}, schema=SCHEMA.as_arrow())


def test_a_stopped_server_finds_everything_again(own_server):
    lake = Lake(own_server).create()
    catalog = lake.pyiceberg()
    catalog.create_namespace("kept")
    catalog.create_table("kept.t", schema=SCHEMA).append(rows(1, 2, 3))
    own_server.stop()
    own_server.start()
    again = Lake(own_server)
    assert again.admin.get("metalakes", METALAKE)["metalake"]["name"] == METALAKE
    assert again.pyiceberg().load_table("kept.t").scan().count() == 3


@pytest.mark.parametrize("round_number", range(3))
def test_a_killed_server_loses_nothing_that_it_confirmed(own_server, round_number):
    lake = Lake(own_server).create()
    catalog = lake.pyiceberg()
    catalog.create_namespace("kept")
    table = catalog.create_table("kept.t", schema=SCHEMA)
    confirmed = []

    def append():
        try:
            for number in range(10_000):
                table.append(rows(number))
                confirmed.append(number)
        except Exception:  # noqa: BLE001 - the server is gone, in whatever way the client says it
            return

    writer = threading.Thread(target=append)
    writer.start()
    while len(confirmed) < 3 + round_number:
        writer.join(0.05)
        assert writer.is_alive()
    own_server.kill()
    writer.join()
    own_server.start()
    found = Lake(own_server).pyiceberg().load_table("kept.t").scan().to_arrow()["id"].to_pylist()
    # The last append may have been written without its answer arriving.
    assert sorted(found) in (confirmed, [*confirmed, len(confirmed)])
    Lake(own_server).pyiceberg().load_table("kept.t").append(rows(-1))


def test_bad_input_is_refused_precisely_and_harms_nothing(server, lake):
    native = f"{server.native}/api/metalakes"
    iceberg = f"{server.iceberg}/v1/{CATALOG}/namespaces"
    auth = lake.admin.session.auth
    json_type = {"Content-Type": "application/json"}
    bodies = [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"name":1}', b'{"name":"a","nope":1}', b'{"name":"a b"}', b"[" * 50_000]
    for body in bodies:
        answer = requests.post(native, data=body, auth=auth, headers=json_type, timeout=60)
        assert answer.status_code == 400 and answer.json()["code"] == 1001, (body[:40], answer.text)
    bodies = [b"", b"{", b"[]", b"\xff\xfe", b'{"namespace":[]}', b'{"namespace":"a"}', b'{"namespace":[""]}', b"[" * 50_000]
    for body in bodies:
        answer = requests.post(iceberg, data=body, auth=auth, headers=json_type, timeout=60)
        assert answer.status_code == 400 and answer.json()["error"]["code"] == 400, (body[:40], answer.text)
    large = b'{"name":"' + b"a" * (17 << 20) + b'"}'
    for url in [native, iceberg]:
        try:
            assert requests.post(url, data=large, auth=auth, headers=json_type, timeout=60).status_code == 413
        except requests.ConnectionError:
            # The server may answer and close before the client has sent everything.
            pass
    for path in ["%", "%FF", "a%00b", "%1F", "..%2f..%2fetc", "a" * 5000]:
        answer = requests.get(f"{iceberg}/{path}/tables", auth=auth, timeout=60)
        assert 400 <= answer.status_code < 500, (path, answer.status_code)
    assert status_of_raw_headers(server.iceberg, auth) == 200
    assert requests.get(f"{iceberg}?pageToken=&pageSize=0", auth=auth, timeout=60).status_code == 400
    assert lake.admin.get("metalakes", METALAKE)["code"] == 0


def status_of_raw_headers(iceberg, auth):
    """The status of a request with headers that no well-behaved client sends."""
    where = urlsplit(iceberg)
    token = base64.b64encode(f"{auth[0]}:{auth[1]}".encode())
    request = (
        b"GET /iceberg/v1/%b/namespaces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Basic %b\r\n"
        b"X-Iceberg-Access-Delegation:  , ,\xff\r\nX-Gravitino-Client-Capabilities: ,,\xff\r\nIf-None-Match: \"\r\n\r\n"
        % (CATALOG.encode(), token)
    )
    with socket.create_connection((where.hostname, where.port), timeout=60) as connection:
        connection.sendall(request)
        answer = connection.makefile("rb").readline()
    return int(answer.split()[1])
