# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Time travel, explanations and listings through `lakeward query`, on a table that PyIceberg wrote and changed."""

import pyarrow as pa
import pytest

from harness import masks
from harness.lake import CATALOG
from harness.query import CommandFailed, Reader

TABLE = f"{CATALOG}.shop.orders"


@pytest.fixture(scope="module")
def snapshots(lake, tmp_path_factory):
    """The reader, and the ids of two snapshots: before and after the rename of `who` to `customer`."""
    lake.add_user("ann")
    lake.add_user("bob")
    lake.add_readers("ann", "bob")
    catalog = lake.pyiceberg()
    catalog.create_namespace("shop")
    schema = pa.schema([("id", pa.int32()), ("who", pa.string())])
    table = catalog.create_table("shop.orders", schema=schema)
    table.append(pa.table({"id": [1, 2], "who": ["ann", "bob"]}, schema=schema))
    table.manage_snapshots().create_tag(table.current_snapshot().snapshot_id, "opening").commit()
    with table.update_schema() as update:
        update.rename_column("who", "customer")
    renamed = pa.schema([("id", pa.int32()), ("customer", pa.string())])
    table.append(pa.table({"id": [3, 4], "customer": ["ann", "bob"]}, schema=renamed))
    ids = [snapshot.snapshot_id for snapshot in table.snapshots()]
    lake.add_tag("personal")
    lake.assign("table", TABLE, "personal")
    lake.add_policy("own-rows", "row_filter", 'filter := col("customer") == session_user()', "personal")
    lake.add_tag("name")
    lake.assign("column", f"{TABLE}.customer", "name")
    lake.add_policy("names", "column_mask", 'mask := action("show-first-4")', "name")
    return Reader(lake.server, tmp_path_factory.mktemp("reader")), ids


def test_older_versions_stand_behind_the_restrictions_of_now(snapshots):
    reader, (before, after) = snapshots

    def rows(user, version):
        return reader.query(user, f"SELECT * FROM {TABLE} {version} ORDER BY id").to_pylist()

    assert [row["id"] for row in rows("ann", "")] == [1, 3]
    for version in (f"FOR VERSION AS OF {before}", "FOR VERSION AS OF 'opening'"):
        assert rows("ann", version) == [{"id": 1, "who": masks.show_first_4("ann")}]
        assert [row["id"] for row in rows("bob", version)] == [2]
    assert rows("bob", f"FOR VERSION AS OF {after}") == rows("bob", "FOR VERSION AS OF 'main'")
    both = f"""
        SELECT new.id, old.who FROM {TABLE} AS new
        LEFT JOIN {TABLE} FOR VERSION AS OF {before} AS old ON new.id = old.id ORDER BY new.id
    """
    assert [row["id"] for row in reader.query("bob", both).to_pylist()] == [2, 4]
    with pytest.raises(CommandFailed, match="no snapshot with this id"):
        rows("ann", "FOR VERSION AS OF 1")
    with pytest.raises(CommandFailed, match="does not reach so far back"):
        rows("ann", "FOR TIMESTAMP AS OF '2001-01-01'")


def test_an_explanation_names_restrictions_and_hides_what_they_compare_with(snapshots):
    reader, (before, _) = snapshots
    plan = reader.run("ann", f"EXPLAIN SELECT who FROM {TABLE} FOR VERSION AS OF {before} WHERE id < 9")
    assert "a required row filter applies" in plan and "customer (show-first-4)" in plan and str(before) in plan
    assert "ann" not in plan.replace("plan", "") and ".parquet" not in plan
    with pytest.raises(CommandFailed, match="EXPLAIN ANALYZE"):
        reader.run("ann", f"EXPLAIN ANALYZE SELECT * FROM {TABLE}")


def test_listings_are_the_callers(snapshots):
    reader, _ = snapshots
    assert "orders,table" in reader.run("ann", f"SHOW TABLES IN {CATALOG}.shop", "--format", "csv")
    assert "shop" in reader.run("ann", f"SHOW SCHEMAS IN {CATALOG}", "--format", "csv")
    assert "customer,Utf8" in reader.run("ann", f"DESCRIBE {TABLE}", "--format", "csv")
