# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Apache Iceberg's REST Compatibility Kit, and the same tests of a newer version for which no kit is published, run against
a server: JUnit classes that drive Iceberg's own client."""

import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from . import java
from .lake import CATALOG
from .server import ADMIN, PASSWORD

ICEBERG = "1.10.1"  # the newest version of which the kit is published
NEWEST = "1.11.0"  # the newest version whose tests are published
PACKAGE = "org.apache.iceberg.rest"
# Subclasses of the kit's classes, which switch on what it leaves out: it runs them itself only where its own server can.
CLASSES = {"RESTCompatibilityKitCatalogTests": "EveryNameTables", "RESTCompatibilityKitViewCatalogTests": "EveryNameViews"}
NEWEST_CLASSES = {"CatalogTests": "NewestTables", "ViewCatalogTests": "NewestViews"}
OLDEST_JAVA = 17
SECONDS = 900
# The order counts: the kit's server jar carries a part of JUnit.
JARS = [
    ("org.junit.platform", "junit-platform-console-standalone", "1.13.4"),
    ("org.assertj", "assertj-core", "3.27.3"),
    ("net.bytebuddy", "byte-buddy", "1.15.11"),
    ("org.awaitility", "awaitility", "4.3.0"),
    ("org.hamcrest", "hamcrest", "2.2"),
    ("org.apache.iceberg", "iceberg-open-api", ICEBERG, "jar", "tests"),
    ("org.apache.iceberg", "iceberg-core", ICEBERG, "jar", "tests"),
    ("org.apache.iceberg", "iceberg-api", ICEBERG, "jar", "tests"),
    ("org.apache.iceberg", "iceberg-open-api", ICEBERG),
]
NEWEST_JARS = [
    ("org.junit.platform", "junit-platform-console-standalone", "1.13.4"),
    ("org.assertj", "assertj-core", "3.27.3"),
    ("org.awaitility", "awaitility", "4.3.0"),
    ("org.apache.iceberg", "iceberg-core", NEWEST),
    ("org.apache.iceberg", "iceberg-core", NEWEST, "tests"),
    ("org.apache.iceberg", "iceberg-api", NEWEST, "tests"),
    ("org.apache.hadoop", "hadoop-client-api", "3.3.6"),
    ("org.apache.hadoop", "hadoop-client-runtime", "3.3.6"),
    ("org.slf4j", "slf4j-simple", "2.0.17"),
]


def require():
    home = java.home(OLDEST_JAVA)
    if home is None or not (home / "bin/javac").exists() or not java.has_maven():
        pytest.fail("the kit needs a JDK 17 or later, and Maven (Debian: default-jdk-headless, maven)")


def made_by_tests(folder):
    """Where a run in `folder` makes the locations that it asks for."""
    made = folder / "made-by-tests"
    made.mkdir(exist_ok=True)
    return made


def run(server, test_class, folder):
    """Runs one class on an empty catalog; answers the outcome of every invocation: `passed`, `skipped`, or the message
    of the failure."""
    catalog = {
        "uri": server.iceberg,
        "warehouse": CATALOG,
        "rest.auth.type": "basic",
        "rest.auth.basic.username": ADMIN,
        "rest.auth.basic.password": PASSWORD,
    }
    if test_class in CLASSES:
        selected, source = CLASSES[test_class], "EveryName.java"
        # Read as a system property by the client's set-up and as a parameter by the tests.
        flags = {"rck.local": "false", "rck.requires-namespace-create": "true"}
        jars = os.pathsep.join(str(java.artifact(*jar)) for jar in JARS)
    else:
        selected, source = NEWEST_CLASSES[test_class], "NewestTests.java"
        catalog = {f"catalog.{name}": value for name, value in catalog.items()}
        flags = {}
        jars = java.with_dependencies(*NEWEST_JARS)
    classes = folder / "classes"
    _compile([source, "Leftovers.java"], jars, classes)
    settings = folder / "settings"
    # Not on the command line, where every user of the machine would see them.
    settings.write_text("".join(f'"-D{name}={value}"\n' for name, value in {**catalog, **flags}.items()))
    command = [
        java.home(OLDEST_JAVA) / "bin/java",
        f"@{settings}",
        "-Xmx768m",
        # Some tests ask for locations in temporary folders of their own making.
        f"-Djava.io.tmpdir={made_by_tests(folder)}",
        "-Djava.net.preferIPv4Stack=true",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        "-cp", f"{classes}{os.pathsep}{jars}",
        "org.junit.platform.console.ConsoleLauncher", "execute",
        "--disable-banner", "--disable-ansi-colors", "--details=none",
        "--reports-dir", folder,
        "--select-class", f"{PACKAGE}.{selected}",
        *(part for name, value in flags.items() for part in ("--config", f"{name}={value}")),
    ]  # fmt: skip
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    report = folder / "TEST-junit-jupiter.xml"
    assert report.exists(), f"the kit did not run ({done.returncode}):\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        outcomes[_name(case.get("name"))] = _outcome(case)
    # What fails around the tests, the set-up of a class for one, is no outcome of a test.
    failed = [name for name, outcome in outcomes.items() if outcome not in ("passed", "skipped")]
    assert outcomes and (done.returncode != 0) == bool(failed), f"{done.stdout[-4000:]}\n{done.stderr[-2000:]}"
    return outcomes


def _compile(sources, jars, classes):
    folder = Path(__file__).parents[1] / "java"
    command = [java.home(OLDEST_JAVA) / "bin/javac", "-nowarn", "-proc:none", "-d", classes, "-cp", jars]
    command += [folder / source for source in sources]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, f"the kit's switches were not compiled:\n{done.stdout}{done.stderr}"


def _name(reported):
    """`method()` and `method(int)[3]` without what says nothing."""
    return reported.replace("()", "")


def _outcome(case):
    for kind in ("failure", "error"):
        if (found := case.find(kind)) is not None:
            return (found.get("message") or found.get("type")).strip()
    return "skipped" if case.find("skipped") is not None else "passed"
