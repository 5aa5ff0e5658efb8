# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The built binary, started and stopped as an operator would."""

import os
import re
from pathlib import Path

from .process import Service

ADMIN = "admin"
PASSWORD = "correct-horse-battery"  # of every account of the tests; 12 to 64 characters

READY = re.compile(r"^ready native=(\S+) iceberg=(\S+)(?: reader=(\S+))?$")


def binary():
    return os.environ["LAKEWARD_BIN"]


class Server(Service):
    """One running `lakeward serve` on free ports of 127.0.0.1."""

    def __init__(self, folder: Path, store_url=None, properties=None):
        super().__init__("server", folder / "server.log")
        self.folder = folder
        self.store_url = store_url
        self.properties = properties or {}
        self.native = self.iceberg = self.reader = None

    def _configuration(self) -> Path:
        properties = {
            "gravitino.server.webserver.host": "127.0.0.1",
            "gravitino.iceberg-rest.host": "127.0.0.1",
            "gravitino.authenticators": "basic",
            "gravitino.server.rest.extensionPackages": "org.apache.gravitino.idp.web.rest.feature",
            "gravitino.authorization.enable": "true",
            "gravitino.authorization.serviceAdmins": ADMIN,
            "lakeward.read-restrictions.enabled": "true",
            "lakeward.reader.port": "0",
        }
        if self.store_url:
            properties["gravitino.entity.store.relational.jdbcUrl"] = self.store_url
        properties.update(self.properties)
        path = self.folder / "lakeward.conf"
        path.write_text("".join(f"{key} = {value}\n" for key, value in properties.items()))
        return path

    def start(self) -> "Server":
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [
            binary(), "serve", "--conf", self._configuration(), "--data-dir", self.folder / "data",
            "--port", "0", "--iceberg-port", "0",
        ]  # fmt: skip
        environment = {**os.environ, "GRAVITINO_INITIAL_ADMIN_PASSWORD": PASSWORD}
        environment.pop("DATABASE_URL", None)
        line = self.launch(command, environment)
        match = READY.match(line)
        assert match, f"not the ready line: {line!r}\n{self.log.read_text()}"
        self.native, self.iceberg, self.reader = match.groups()
        return self
