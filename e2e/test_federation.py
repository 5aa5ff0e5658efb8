# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""PyIceberg on a catalog that another server keeps: the same rows under other names and rights, and nothing written."""

import pyarrow
import pytest
from pyiceberg.exceptions import ForbiddenError, NoSuchTableError, RESTError

from harness.lake import CATALOG, Lake
from harness.server import ADMIN, PASSWORD, Server

ROWS = pyarrow.table({"id": pyarrow.array(range(1_000), pyarrow.int64()), "name": [f"n{row % 7}" for row in range(1_000)]})


@pytest.fixture
def two(tmp_path):
    """The upstream, with `s.t`, and a server with a federated catalog."""
    upstream = Server(tmp_path / "upstream").start()
    ours = Server(tmp_path / "ours", properties={"lakeward.federation.allowed-hosts": "127.0.0.1"}).start()
    try:
        kept = Lake(upstream).create()
        catalog = kept.pyiceberg()
        catalog.create_namespace("s")
        catalog.create_table("s.t", schema=ROWS.schema).append(ROWS)
        federated = Lake(ours).create(
            {
                "catalog-backend": "rest", "uri": upstream.iceberg, "warehouse": CATALOG,
                "rest.auth.basic.username": ADMIN, "rest.auth.basic.password": PASSWORD,
            }
        )  # fmt: skip
        yield kept, federated
        upstream.stop()
        ours.stop()
    finally:
        upstream.kill()
        ours.kill()


def test_a_table_of_another_catalog_is_read_and_kept_as_ours(two):
    upstream, ours = two
    for user in ("ann", "bob"):
        ours.add_user(user)
    ours.add_readers("ann")
    catalog = ours.pyiceberg("ann")
    assert catalog.list_namespaces() == [("s",)]
    assert catalog.list_tables("s") == [("s", "t")]
    assert catalog.load_table("s.t").scan().to_arrow().sort_by("id") == ROWS
    assert catalog.load_table("s.t").scan(row_filter="name == 'n3'").to_arrow().num_rows == 143

    # What the upstream commits is there at once.
    upstream.pyiceberg().load_table("s.t").append(ROWS)
    assert catalog.load_table("s.t").scan().to_arrow().num_rows == 2_000

    # Nothing is written here, and nobody reads whom we do not let.
    with pytest.raises(RESTError, match="another catalog keeps"):
        ours.pyiceberg().load_table("s.t").append(ROWS)
    with pytest.raises(RESTError, match="another catalog keeps"):
        ours.pyiceberg().create_namespace("new")
    assert upstream.pyiceberg().load_table("s.t").scan().to_arrow().num_rows == 2_000
    with pytest.raises((ForbiddenError, NoSuchTableError)):
        ours.pyiceberg("bob").load_table("s.t")

    # A restriction of ours stands before it, also under the name that it gets behind our back.
    ours.add_tag("pii")
    ours.add_policy("some", "row_filter", 'filter := col("name") == "n3"', "pii")
    ours.assign("table", f"{CATALOG}.s.t", "pii")
    with pytest.raises(RESTError, match="restriction-not-acceptable"):
        catalog.load_table("s.t")
    upstream.pyiceberg().rename_table("s.t", "s.moved")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("s.t")
    with pytest.raises(RESTError, match="restriction-not-acceptable"):
        catalog.load_table("s.moved")
