# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""HTTPS on the listeners of the native API and of Iceberg REST, by the keys of the original."""

import os
import socket
import ssl
import subprocess
import threading
from urllib.parse import urlsplit

import pytest
import requests
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from harness.server import ADMIN, PASSWORD, Server, binary
from pyiceberg.catalog.rest import RestCatalog

NATIVE = "gravitino.server.webserver"
ICEBERG = "gravitino.iceberg-rest"
STORE_PASSWORD = "of-the-key-store"


class Authority:
    """An authority, with the file of its certificate."""

    def __init__(self, folder, name):
        self.authority = trustme.CA()
        self.file = folder / f"{name}.pem"
        self.authority.cert_pem.write_to_path(self.file)

    def pem(self, file, name="127.0.0.1"):
        """A certificate with its key in one PEM file, put into its place at once."""
        new = file.with_suffix(".new")
        self.authority.issue_cert(name).private_key_and_cert_chain_pem.write_to_path(new)
        os.replace(new, file)
        return file

    def pkcs12(self, file):
        """The same in PKCS#12."""
        made = self.authority.issue_cert("127.0.0.1")
        key = serialization.load_pem_private_key(made.private_key_pem.bytes(), None)
        certificate = x509.load_pem_x509_certificate(made.cert_chain_pems[0].bytes())
        encryption = serialization.BestAvailableEncryption(STORE_PASSWORD.encode())
        file.write_bytes(pkcs12.serialize_key_and_certificates(b"lakeward", key, certificate, None, encryption))
        return file


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def ours(folder):
    return Authority(folder, "ours")


@pytest.fixture(scope="module")
def strangers(folder):
    return Authority(folder, "strangers")


@pytest.fixture(scope="module")
def server(folder, ours):
    """The native API with a key store of PKCS#12, Iceberg REST with PEM and certificates of clients."""
    properties = {
        f"{NATIVE}.enableHttps": "true",
        f"{NATIVE}.keyStorePath": ours.pkcs12(folder / "native.p12"),
        f"{NATIVE}.keyStorePassword": STORE_PASSWORD,
        f"{ICEBERG}.enableHttps": "true",
        f"{ICEBERG}.keyStorePath": ours.pem(folder / "iceberg.pem"),
        f"{ICEBERG}.keyStoreType": "PEM",
        f"{ICEBERG}.tlsProtocol": "TLSv1.3",
        f"{ICEBERG}.enableClientAuth": "true",
        f"{ICEBERG}.trustStorePath": ours.file,
        f"{ICEBERG}.trustStoreType": "PEM",
    }
    server = Server(folder / "server", properties=properties).start()
    try:
        yield server
        server.stop()
    finally:
        server.kill()


def metalakes(server, authority, **more):
    return requests.get(
        f"{server.native}/api/metalakes", auth=(ADMIN, PASSWORD), verify=str(authority.file), timeout=60, **more
    )


def test_both_listeners_are_encrypted(server, ours, strangers, folder):
    assert server.native.startswith("https://") and server.iceberg.startswith("https://")
    assert metalakes(server, ours).status_code == 200
    with pytest.raises(requests.exceptions.SSLError):
        metalakes(server, strangers)
    # Nothing is served in the open beside it.
    with pytest.raises(requests.exceptions.ConnectionError):
        requests.get(server.native.replace("https:", "http:") + "/api/metalakes", timeout=60)

    def whoami(authority):
        environment = {**os.environ, "SSL_CERT_FILE": str(authority.file), "LAKEWARD_PASSWORD": PASSWORD}
        command = [binary(), "whoami", "--server", server.native, "--user", ADMIN]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    known = whoami(ours)
    assert known.returncode == 0 and ADMIN in known.stdout, known
    assert whoami(strangers).returncode != 0


def test_clients_show_a_certificate_where_that_is_asked(server, ours, strangers, folder):
    config = f"{server.iceberg}/v1/config"
    right, wrong = ours.pem(folder / "client.pem", "client"), strangers.pem(folder / "other.pem", "client")
    ask = lambda cert: requests.get(  # noqa: E731
        config, auth=(ADMIN, PASSWORD), verify=str(ours.file), cert=cert and str(cert), timeout=60
    )
    for cert in (None, wrong):
        with pytest.raises(requests.exceptions.ConnectionError):
            ask(cert)
    # No metalake is there yet: what matters is that the server answers.
    assert ask(right).headers["content-type"].startswith("application/json")
    # A certificate that lets in says nothing of who asks.
    nobody = requests.get(config, verify=str(ours.file), cert=str(right), timeout=60)
    assert nobody.status_code == 401
    refused = [line for line in (server.folder / "data/audit/audit.jsonl").read_text().splitlines() if '"Handshake"' in line]
    assert len(refused) >= 2


def test_the_version_is_that_of_the_configuration(server, ours, folder):
    def version(url, most):
        context = ssl.create_default_context(cafile=str(ours.file))
        context.load_cert_chain(str(ours.pem(folder / "client.pem", "client")))
        context.maximum_version = most
        address = urlsplit(url)
        with (
            socket.create_connection((address.hostname, address.port), timeout=60) as plain,
            context.wrap_socket(plain, server_hostname=address.hostname) as encrypted,
        ):
            return encrypted.version()

    assert version(server.native, ssl.TLSVersion.TLSv1_2) == "TLSv1.2"
    assert version(server.native, ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    assert version(server.iceberg, ssl.TLSVersion.TLSv1_3) == "TLSv1.3"
    with pytest.raises(ssl.SSLError):
        version(server.iceberg, ssl.TLSVersion.TLSv1_2)


def test_pyiceberg_comes_with_its_certificate(server, ours, folder, monkeypatch):
    # These would count more than what the client is told.
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    ask = {"auth": (ADMIN, PASSWORD), "verify": str(ours.file), "timeout": 60}
    api = f"{server.native}/api/metalakes"
    assert requests.post(api, json={"name": "lake"}, **ask).ok
    catalog = {"name": "ice", "type": "RELATIONAL", "provider": "lakehouse-iceberg", "properties": {}}
    made = requests.post(f"{api}/lake/catalogs", json=catalog, **ask)
    assert made.ok, made.text
    key = ours.pem(folder / "pyiceberg.pem", "client")
    client = RestCatalog(
        "ice", uri=server.iceberg, warehouse="ice",
        auth={"type": "basic", "basic": {"username": ADMIN, "password": PASSWORD}},
        ssl={"cabundle": str(ours.file), "client": {"cert": str(key), "key": str(key)}},
    )  # fmt: skip
    client.create_namespace("n")
    assert client.list_namespaces() == [("n",)]


CHANGES = 12


def test_new_certificates_are_taken_without_a_failed_request(server, ours, folder):
    """Requests over new connections go on while the key store is replaced again and again."""
    file = folder / "native.p12"
    failed, done, stop = [], [], threading.Event()

    def ask():
        while not stop.is_set():
            try:
                answer = metalakes(server, ours)
                (done if answer.status_code == 200 else failed).append(answer.status_code)
            except requests.exceptions.RequestException as error:
                failed.append(error)

    def shown():
        address = urlsplit(server.native)
        return ssl.get_server_certificate((address.hostname, address.port), ca_certs=str(ours.file), timeout=60)

    askers = [threading.Thread(target=ask) for _ in range(4)]
    for asker in askers:
        asker.start()
    seen = {shown()}
    try:
        for _ in range(CHANGES):
            new = ours.pkcs12(folder / "next.p12")
            os.replace(new, file)
            before = len(done)
            seen.add(shown())
            # Half a file is none: what was there before stays.
            file.write_bytes(file.read_bytes()[:100])
            assert shown() in seen
            while len(done) < before + 8 and not failed:
                stop.wait(0.01)
    finally:
        stop.set()
        for asker in askers:
            asker.join()
    assert not failed, failed[:3]
    assert len(seen) == CHANGES + 1 and len(done) >= 8 * CHANGES
    os.replace(ours.pkcs12(folder / "next.p12"), file)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({f"{NATIVE}.keyStorePassword": "another"}, "password"),
        ({f"{NATIVE}.keyStorePath": "/nowhere/store.p12"}, "/nowhere/store.p12"),
        ({f"{NATIVE}.keyStoreType": "PEM"}, "native.p12"),
        ({f"{NATIVE}.enableCipherAlgorithms": "TLS_RSA_WITH_RC4_128_MD5"}, "RC4"),
        ({f"{ICEBERG}.trustStorePath": "/nowhere/trusted.pem"}, "/nowhere/trusted.pem"),
    ],
)
def test_what_cannot_be_used_is_said_at_start(server, tmp_path, change, said):
    refused = Server(tmp_path / "server", properties={**server.properties, **change})
    with pytest.raises(AssertionError) as problem:
        try:
            refused.start()
        finally:
            refused.kill()
    text = str(problem.value)
    assert said in text and next(iter(change)).rsplit(".", 1)[0] in text
    assert STORE_PASSWORD not in text
