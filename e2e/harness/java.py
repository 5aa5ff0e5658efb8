# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Java runtimes of this machine, and files from the Maven registry through its own client."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

SECONDS = 1800


def _version(java):
    """The feature number of a runtime, or nothing."""
    told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60).stderr
    match = re.search(r'version "(\d+)', told)
    return int(match[1]) if match else None


def home(oldest, newest=None):
    """The home of the oldest installed runtime that fits, or nothing."""
    candidates = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    if found := shutil.which("java"):
        candidates.append(Path(found).resolve().parent.parent)
    candidates.extend(sorted(Path("/usr/lib/jvm").glob("*")))
    fitting = [
        (version, candidate)
        for candidate in candidates
        if (candidate / "bin/java").exists()
        and (version := _version(candidate / "bin/java")) is not None
        and oldest <= version <= (newest or version)
    ]
    return min(fitting)[1] if fitting else None


def has_maven():
    return shutil.which("mvn") is not None


def artifact(group, name, version, kind="jar", classifier=None):
    """The path of one published file, without what it depends on; downloaded when it is not there yet."""
    repository = Path(os.environ.get("MAVEN_REPOSITORY", Path.home() / ".m2/repository"))
    suffix = f"-{classifier}" if classifier else ""
    file = repository.joinpath(*group.split("."), name, version, f"{name}-{version}{suffix}.{kind}")
    if not file.exists():
        coordinates = ":".join([group, name, version, kind, *([classifier] if classifier else [])])
        subprocess.run(
            [
                "mvn", "-q", "-B", "-Dstyle.color=never", f"-Dmaven.repo.local={repository}", "dependency:get",
                f"-Dartifact={coordinates}", "-Dtransitive=false",
            ],
            check=True, stdin=subprocess.DEVNULL, timeout=SECONDS,
        )  # fmt: skip
    return file


def with_dependencies(*artifacts):
    """A class path of published files, each as group, name, version and perhaps classifier, with all that they need at run
    time; kept for the next run."""
    listed = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>"
        + (f"<type>test-jar</type><classifier>{rest[0]}</classifier>" if rest else "")
        + "</dependency>"
        for group, name, version, *rest in artifacts
    )
    project = (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>local</groupId>'
        f"<artifactId>class-path</artifactId><version>1</version><dependencies>{listed}</dependencies></project>"
    )
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lakeward-e2e/class-paths"
    folder = cache / hashlib.sha256(project.encode()).hexdigest()[:16]
    if not folder.exists():
        repository = Path(os.environ.get("MAVEN_REPOSITORY", Path.home() / ".m2/repository"))
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as made:
            pom = Path(made) / "pom.xml"
            pom.write_text(project)
            subprocess.run(
                [
                    "mvn", "-q", "-B", "-Dstyle.color=never", f"-Dmaven.repo.local={repository}", "-f", pom,
                    "dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={made}/jars",
                ],
                check=True, stdin=subprocess.DEVNULL, timeout=SECONDS,
            )  # fmt: skip
            # Whole or not at all.
            (Path(made) / "jars").rename(folder)
    return str(folder / "*")
