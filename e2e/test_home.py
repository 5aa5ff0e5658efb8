# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A server in a folder, started and stopped by the script that operators of the original know."""

import os
import re
import shutil
import signal
import subprocess

import pytest
import requests

from harness.document import free_ports
from harness.native import Native, Refused
from harness.server import binary

SECONDS = 120
READY = re.compile(r"^ready native=(\S+) iceberg=\S+$", re.MULTILINE)
AUTHORIZATION = {"gravitino.authorization.enable": "true", "gravitino.authorization.serviceAdmins": "admin"}


class Home:
    """A laid out folder with free ports in its configuration."""

    def __init__(self, folder):
        self.folder = folder
        self.conf = folder / "conf" / "gravitino.conf"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("GRAVITINO_")}
        self.environment.pop("DATABASE_URL", None)

    def init(self):
        done = self.run(binary(), "home", "init", self.folder)
        assert done.returncode == 0, done.stderr
        native, iceberg = free_ports(2)
        self.edit({"gravitino.server.webserver.httpPort": native, "gravitino.iceberg-rest.httpPort": iceberg})
        return self

    def edit(self, values):
        """Appends settings, as scripts do; the last one of a key counts."""
        with self.conf.open("a") as conf:
            conf.writelines(f"{key} = {value}\n" for key, value in values.items())

    def script(self, *arguments, code=0):
        """What the script prints."""
        done = self.run(self.folder / "bin" / "gravitino.sh", *arguments)
        assert done.returncode == code, f"{done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def start(self, word="start"):
        """Starts it; the native API as a user."""
        url = READY.search(self.script(word)).group(1)
        return lambda user: Native(url, user, "ignored")

    def pid(self):
        return int(re.search(r"PID (\d+)", self.script("status")).group(1))

    def run(self, *command):
        # To its end, so that output which the server keeps open would be noticed.
        return subprocess.run(
            [str(part) for part in command],
            capture_output=True, text=True, timeout=SECONDS, env=self.environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path / "home").init()
    yield home
    home.script("stop")


def test_a_server_is_started_reconfigured_and_stopped(home):
    anybody = home.start()
    anybody("ann").post("metalakes", body={"name": "lake"})
    first = home.pid()
    assert str(first) in home.script("start")
    assert home.pid() == first
    # Each waits for the end of the one before: none mistakes it for a server that runs.
    for _ in range(5):
        anybody = home.start("restart")
    assert home.pid() != first
    assert anybody("bob").get("metalakes", "lake")["metalake"]["audit"]["creator"] == "ann"

    home.edit(AUTHORIZATION)
    anybody = home.start("restart")
    with pytest.raises(Refused) as refused:
        anybody("ann").post("metalakes", body={"name": "other"})
    assert refused.value.status == 403
    anybody("admin").post("metalakes", body={"name": "other"})

    # Under a running server, as the original's tests do.
    shutil.rmtree(home.folder / "data")
    anybody = home.start("restart")
    assert anybody("admin").get("metalakes")["metalakes"] == []

    url = anybody("admin").url
    assert "stopped" in home.script("stop")
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{url}/api/version", timeout=SECONDS)
    assert "not running" in home.script("status", code=1)
    assert "not running" in home.script("stop")


def test_a_start_that_fails_says_why_and_leaves_nothing(home, tmp_path):
    home.edit({"gravitino.authorization.enabled": "true"})
    said = home.script("start", code=2)
    assert "gravitino.authorization.enabled" in said and "did not start" in said
    assert "not running" in home.script("status", code=1)
    for command in ["start", "run", "stop", "status"]:
        elsewhere = home.run(binary(), "home", command, tmp_path)
        assert elsewhere.returncode == 2 and "lakeward home init" in elsewhere.stderr


def test_a_killed_server_is_known_to_be_gone(home):
    home.start()
    os.kill(home.pid(), signal.SIGKILL)
    # `stop` returns when the process has ended, whoever ended it.
    home.script("stop")
    assert "not running" in home.script("status", code=1)
    home.start()
    assert home.pid()


def test_another_configuration_and_its_environment(home, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    home.conf.rename(other / "gravitino.conf")
    home.conf = other / "gravitino.conf"
    home.edit({"gravitino.authenticators": "basic", **AUTHORIZATION})
    assert "GRAVITINO_INITIAL_ADMIN_PASSWORD" in home.script("--config", other, "start", code=2)
    password = "export GRAVITINO_INITIAL_ADMIN_PASSWORD=correct-horse-battery\n"
    (other / "gravitino-env.sh").write_text(f"{password}export GRAVITINO_LOG_DIR={tmp_path}/log\n")
    url = READY.search(home.script("--config", other, "start")).group(1)
    assert Native(url, "admin", "correct-horse-battery").get("metalakes")["metalakes"] == []
    assert (tmp_path / "log" / "gravitino-server.out").stat().st_size > 0
    assert (home.folder / "data" / "lakeward.db").exists()
    home.script("--config", other, "stop")
    home.conf.rename(home.folder / "conf" / "gravitino.conf")


def test_laying_out_again_keeps_the_configuration_and_foreign_scripts(home):
    before = home.conf.read_text()
    script = home.folder / "bin" / "gravitino.sh"
    ours = script.read_text()
    script.write_text(ours + "# an older one\n")
    assert home.run(binary(), "home", "init", home.folder).returncode == 0
    assert home.conf.read_text() == before and script.read_text() == ours
    script.write_text("#!/bin/bash\n# of the original\n")
    refused = home.run(binary(), "home", "init", home.folder)
    assert refused.returncode == 2 and str(script) in refused.stderr
    script.write_text(ours)
