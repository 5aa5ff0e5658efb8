# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The built binary, started and stopped as an operator would."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

ADMIN = "admin"
PASSWORD = "correct-horse-battery"  # of every account of the tests; 12 to 64 characters
START_SECONDS = 60
STOP_SECONDS = 30

READY = re.compile(r"^ready native=(\S+) iceberg=(\S+)(?: reader=(\S+))?$")


def binary():
    return os.environ["LAKEWARD_BIN"]


class Server:
    """One running `lakeward serve` on free ports of 127.0.0.1."""

    def __init__(self, folder: Path, store_url=None, properties=None):
        self.folder = folder
        self.store_url = store_url
        self.properties = properties or {}
        self.process = None
        self.native = self.iceberg = self.reader = None

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

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
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, env=environment,
            )  # fmt: skip
        line = self._first_line()
        match = READY.match(line)
        assert match, f"not the ready line: {line!r}\n{self.log.read_text()}"
        self.native, self.iceberg, self.reader = match.groups()
        return self

    def _first_line(self) -> str:
        """The first line of standard output, or nothing when none comes in time."""
        lines = []
        reader = threading.Thread(target=lambda: lines.append(self.process.stdout.readline()), daemon=True)
        reader.start()
        reader.join(START_SECONDS)
        if not lines or not lines[0]:
            self.kill()
            raise AssertionError(f"the server did not start:\n{self.log.read_text()}")
        return lines[0].rstrip("\n")

    def stop(self):
        """Ends the server as an operator does; it must end cleanly."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the server does not end on SIGTERM") from None
        self.process.stdout.close()
        self.process = None
        assert code == 0, f"the server ended with {code}:\n{self.log.read_text()[-4000:]}"

    def kill(self):
        """Ends the server as a power failure does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None
