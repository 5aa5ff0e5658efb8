# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The Arrow Flight SQL JDBC driver, driven by a small program (`java/GatewayClient.java`) that does what it is told."""

import subprocess
from pathlib import Path

import pytest

from . import java

DRIVER = ("org.apache.arrow", "flight-sql-jdbc-driver", "18.3.0")
PROGRAM = Path(__file__).parents[1] / "java" / "GatewayClient.java"
OLDEST_JAVA = 17
SECONDS = 300


def require():
    if java.home(OLDEST_JAVA) is None or not java.has_maven():
        pytest.fail("the JDBC driver needs Java 17 or later, and Maven (Debian: default-jre-headless, maven)")


class Failed(Exception):
    """What the driver said instead of an answer."""


def properties(folder, gateway, user=None, password=None, **others):
    """A file with what a connection needs. Its name says nothing that the command line should not."""
    address = gateway.url.split("://")[1].rstrip("/")
    given = {
        "url": f"jdbc:arrow-flight-sql://{address}",
        "useEncryption": "true",
        "tlsRootCerts": str(gateway.authority),
        **({"user": user, "password": password} if user else {}),
        **others,
    }
    file = folder / f"connection-{len(list(folder.iterdir()))}.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in given.items() if value is not None))
    return file


def perform(*lines, zone="UTC"):
    """Runs the lines in one program, in a time zone. For each: the rows that it printed, each a list of texts, or what
    failed."""
    command = [
        java.home(OLDEST_JAVA) / "bin/java",
        # The driver's own demand of Java 17 and later.
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        f"-Duser.timezone={zone}", "-Xmx512m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        "-cp", java.artifact(*DRIVER), PROGRAM,
    ]  # fmt: skip
    done = subprocess.run(
        [str(part) for part in command],
        input="\n".join(lines), capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    answers, rows = [], []
    for line in done.stdout.splitlines():
        if line == ".":
            answers.append(rows)
            rows = []
        elif line.startswith("! "):
            answers.append(Failed(line[2:]))
            rows = []
        else:
            rows.append(line.split("\t"))
    assert done.returncode == 0 and len(answers) == len(lines), f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return answers
