# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""`lakeward gateway` beside a server, with a certificate of its own authority."""

import os
import re

import trustme

from .process import Service
from .server import binary

READY = re.compile(r"^lakeward gateway ready flight=(\S+)(?: \S+)*$")


class Gateway(Service):
    """One gateway of a reader identity on a free port of 127.0.0.1, over TLS."""

    def __init__(self, server, identity, folder, *options):
        super().__init__("gateway", folder / "gateway.log")
        self.server = server
        self.identity = identity
        self.folder = folder
        self.options = options
        self.url = None
        self.ready_line = None

    @property
    def authority(self):
        """File with the authority of the gateway's certificate."""
        return self.folder / "gateway-authority.pem"

    @property
    def certificate(self):
        """Files with the certificate and its key."""
        return self.folder / "gateway-certificate.pem", self.folder / "gateway-key.pem"

    def certify(self):
        """Makes an authority and a certificate."""
        authority = trustme.CA()
        made = authority.issue_cert("127.0.0.1", "localhost")
        certificate, key = self.certificate
        certificate.write_bytes(b"".join(blob.bytes() for blob in made.cert_chain_pems))
        key.write_bytes(made.private_key_pem.bytes())
        authority.cert_pem.write_to_path(str(self.authority))

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.authority.exists():
            self.certify()
        certificate, key = self.certificate
        command = [
            binary(), "gateway", "--server", self.server.reader, "--identity", self.identity, "--port", "0",
            "--metrics", "127.0.0.1:0",
            "--tls-certificate", certificate, "--tls-key", key, *self.options,
        ]  # fmt: skip
        self.ready_line = self.launch(command, dict(os.environ))
        match = READY.match(self.ready_line)
        assert match, f"not the ready line: {self.ready_line!r}\n{self.log.read_text()}"
        self.url = match.group(1)
        return self

    def resident_bytes(self):
        """Memory of the process, as Linux sees it."""
        with open(f"/proc/{self.process.pid}/status") as status:
            [line] = [line for line in status if line.startswith("VmRSS:")]
        return int(line.split()[1]) * 1024
