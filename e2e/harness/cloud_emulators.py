# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Throw-away stores that speak like Google Cloud Storage and like Azure's blobs, on ports of 127.0.0.1: `fake-gcs-server`, built
by Go, and Azurite, which npm installs. Both stay in the user's cache between runs."""

import http.client
import os
import shutil
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import requests

START_SECONDS = 60
BUILD_SECONDS = 600
BUCKET = "lake"
FAKE_GCS_VERSION = "1.56.1"
AZURITE_VERSION = "3.35.0"
# Of the emulator, published by its vendor, and the same everywhere.
ACCOUNT = "devstoreaccount1"
ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def is_gcs_available():
    return shutil.which("go") is not None


def is_azure_available():
    return shutil.which("npm") is not None and shutil.which("node") is not None


def _installed(name, command, made):
    """The program that a command installs into a folder, kept between runs."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lakeward-e2e"
    folder = cache / name
    if not (folder / made).exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            command, env={**os.environ, "GOBIN": str(folder)}, cwd=folder, check=True, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=BUILD_SECONDS,
        )  # fmt: skip
    return folder / made


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class _Emulator:
    """A process that answers on a port."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.process = None

    def _run(self, command, url):
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "emulator.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert self.process.poll() is None, (self.folder / "emulator.log").read_text()[-4000:]
            assert time.monotonic() < deadline, "the emulator does not start"
            try:
                return requests.get(url, timeout=5)
            except requests.RequestException:
                time.sleep(0.1)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class Gcs(_Emulator):
    """The emulator of Google's with one bucket. It takes uploads by Google's JSON alone, so what the server puts (by Google's
    XML) comes to it through a front that says the same in JSON; everything else passes as it is."""

    root = f"gs://{BUCKET}"

    def start(self):
        binary = _installed(
            f"fake-gcs-server-{FAKE_GCS_VERSION}",
            ["go", "install", f"github.com/fsouza/fake-gcs-server@v{FAKE_GCS_VERSION}"],
            "fake-gcs-server",
        )
        port = _free_port()
        self.front = ThreadingHTTPServer(("127.0.0.1", 0), _front(port))
        self.endpoint = f"http://127.0.0.1:{self.front.server_port}"
        self.objects = f"http://127.0.0.1:{port}/storage/v1/b"
        self._run(
            [binary, "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", str(port),
             "-public-host", f"127.0.0.1:{port}"],
            self.objects,
        )  # fmt: skip
        threading.Thread(target=self.front.serve_forever, daemon=True).start()
        requests.post(self.objects, json={"name": BUCKET}, timeout=START_SECONDS).raise_for_status()
        return self

    def kill(self):
        if self.process is not None:
            self.front.shutdown()
            self.front.server_close()
        super().kill()

    def properties(self, **more):
        """What a catalog on this store has, beside its place."""
        return {"gcs.service.host": self.endpoint, "gcs.no-auth": "true", **more}

    def keys(self, prefix=""):
        listed = requests.get(f"{self.objects}/{BUCKET}/o", params={"prefix": prefix}, timeout=START_SECONDS).json()
        return sorted(item["name"] for item in listed.get("items", []))

    def put(self, key, body=b"x"):
        requests.put(f"{self.endpoint}/{BUCKET}/{quote(key)}", data=body, timeout=START_SECONDS).raise_for_status()


def _front(port):
    class Front(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def pass_on(self):
            method, path = self.command, self.path
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            headers["Host"] = f"127.0.0.1:{port}"
            if method == "PUT":
                bucket, key = urlsplit(path).path.lstrip("/").split("/", 1)
                method = "POST"
                path = f"/upload/storage/v1/b/{bucket}/o?uploadType=media&name={quote(unquote(key), safe='')}"
                if generation := self.headers.get("x-goog-if-generation-match"):
                    path += f"&ifGenerationMatch={generation}"
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
            try:
                connection.request(method, path, body=body, headers=headers)
                answer = connection.getresponse()
                content = answer.read()
            finally:
                connection.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                    self.send_header(name, value)
            if self.command == "PUT" and answer.status == 200:
                self.send_header("ETag", '"made"')
            length = answer.getheader("Content-Length") if self.command == "HEAD" else len(content)
            self.send_header("Content-Length", str(length or 0))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = pass_on

    return Front


class Azure(_Emulator):
    """The emulator of Azure's blobs with one container."""

    root = f"abfss://{BUCKET}@{ACCOUNT}.dfs.core.windows.net"

    def start(self):
        from azure.storage.blob import BlobServiceClient

        binary = _installed(
            f"azurite-{AZURITE_VERSION}",
            ["npm", "install", "--no-audit", "--no-fund", "--prefix", ".", f"azurite@{AZURITE_VERSION}"],
            "node_modules/.bin/azurite-blob",
        )
        port = _free_port()
        self.endpoint = f"http://127.0.0.1:{port}/{ACCOUNT}"
        self._run(
            [binary, "--blobHost", "127.0.0.1", "--blobPort", str(port), "--inMemoryPersistence", "--silent",
             "--skipApiVersionCheck", "--disableTelemetry"],
            self.endpoint,
        )  # fmt: skip
        self.client = BlobServiceClient(self.endpoint, credential=ACCOUNT_KEY).create_container(BUCKET)
        return self

    def properties(self, **more):
        """What a catalog on this store has, beside its place."""
        return {
            "adls.endpoint": self.endpoint,
            "azure-storage-account-name": ACCOUNT,
            "azure-storage-account-key": ACCOUNT_KEY,
            **more,
        }

    def signed(self, **more):
        """The same with a shared access signature instead of the key."""
        from azure.storage.blob import ContainerSasPermissions, generate_container_sas

        token = generate_container_sas(
            ACCOUNT, BUCKET, account_key=ACCOUNT_KEY, permission=ContainerSasPermissions.from_string("racwdl"),
            expiry=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600)),
        )  # fmt: skip
        properties = self.properties(**{"adls.sas-token": token}, **more)
        del properties["azure-storage-account-key"]
        return properties

    def keys(self, prefix=""):
        return sorted(self.client.list_blob_names(name_starts_with=prefix))

    def put(self, key, body=b"x"):
        self.client.upload_blob(key, body)
