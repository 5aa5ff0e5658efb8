# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Spark in this process's own Java machine, with Iceberg's runtime; every session is a catalog of its own in it."""

import atexit
import functools
import importlib.util
import itertools
import os
import tempfile

import pytest

from .. import java
from ..lake import CATALOG
from ..server import PASSWORD
from .sql import SqlSession

RUNTIME = ("org.apache.iceberg", "iceberg-spark-runtime-4.1_2.13", "1.12.0")
OLDEST_JAVA, NEWEST_JAVA = 17, 21


def require():
    if importlib.util.find_spec("pyspark") is None:
        pytest.fail("Spark needs pyspark, which `e2e/run --all` installs")
    if java.home(OLDEST_JAVA, NEWEST_JAVA) is None:
        pytest.fail("Spark needs Java 17 or 21 (Debian: default-jre-headless)")
    if not java.has_maven():
        pytest.fail("Iceberg's runtime for Spark comes through Maven (Debian: maven)")


@functools.cache
def _spark():
    """The one Spark of this process, on loopback only."""
    runtime = java.artifact(*RUNTIME)
    os.environ["JAVA_HOME"] = str(java.home(OLDEST_JAVA, NEWEST_JAVA))
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    folder = tempfile.TemporaryDirectory(prefix="lakeward-spark-")
    settings = {
        "spark.jars": runtime,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder.name}",
        "spark.local.dir": folder.name,
        "spark.sql.warehouse.dir": f"{folder.name}/warehouse",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("lakeward-e2e")
    for key, value in settings.items():
        builder = builder.config(key, str(value))
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    # The folder goes after Spark has ended: what is registered last runs first.
    atexit.register(folder.cleanup)
    atexit.register(spark.stop)
    return spark


_numbers = itertools.count(1)


class Session(SqlSession):
    columns = "(id BIGINT, name STRING) USING iceberg"

    def __init__(self, url, user, headers=None, token=None, options=None):
        self.spark = _spark()
        self.catalog = f"{CATALOG}{next(_numbers)}"
        basic = {
            ".rest.auth.type": "basic",
            ".rest.auth.basic.username": user,
            ".rest.auth.basic.password": PASSWORD,
        }
        settings = {
            "": "org.apache.iceberg.spark.SparkCatalog",
            ".type": "rest",
            ".uri": url,
            ".warehouse": CATALOG,
            ".cache-enabled": "false",
            **({".token": token} if token else basic),
            **{f".header.{name}": value for name, value in (headers or {}).items()},
            **{f".{name}": value for name, value in (options or {}).items()},
        }
        for key, value in settings.items():
            self.spark.conf.set(f"spark.sql.catalog.{self.catalog}{key}", value)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def sql(self, statement):
        """Runs a statement and answers its rows."""
        return [tuple(row) for row in self.spark.sql(statement).collect()]


connect = Session
