# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Deletes that Spark writes: the trusted reader and PyIceberg show the rows that Spark itself shows, position deletes and
deletion vectors alike; behind a filter and a mask they are the same rows, filtered and masked."""

import pytest

from harness import masks
from harness.engines import engine
from harness.lake import CATALOG
from harness.query import Reader

pytestmark = pytest.mark.slow

PROPERTIES = {
    "write.delete.mode": "merge-on-read",
    "write.update.mode": "merge-on-read",
    "write.merge.mode": "merge-on-read",
}
SPECS = {
    "identity": "PARTITIONED BY (kind)",
    "transforms": "PARTITIONED BY (bucket(4, id), truncate(1, kind))",
}


@pytest.fixture(scope="module")
def reader(embedded_lake, tmp_path_factory):
    embedded_lake.add_user("ann")
    embedded_lake.add_user("bob")
    embedded_lake.add_writers("ann")
    embedded_lake.add_readers("bob")
    embedded_lake.pyiceberg().create_namespace("mor")
    return Reader(embedded_lake.server, tmp_path_factory.mktemp("reader"))


def write(session, name, version, spec, granularity):
    """A table with deleted, updated and merged rows in several files and snapshots."""
    properties = {**PROPERTIES, "format-version": version, "write.delete.granularity": granularity}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    session.sql(
        f"CREATE TABLE {name} (id BIGINT, kind STRING, note STRING) USING iceberg {spec} TBLPROPERTIES ({listed})"
    )
    for start in (0, 500):
        session.sql(
            f"INSERT INTO {name} SELECT id, CASE WHEN id % 11 = 0 THEN NULL ELSE concat('k', CAST(id % 3 AS STRING)) END, "
            f"concat('note-', CAST(id AS STRING)) FROM range({start}, {start + 500})"
        )
    session.sql(f"DELETE FROM {name} WHERE id % 7 = 0")
    session.sql(f"DELETE FROM {name} WHERE kind IS NULL AND id > 300")
    session.sql(f"UPDATE {name} SET note = 'changed' WHERE id % 10 = 3")
    session.sql(f"INSERT INTO {name} VALUES (7, 'k1', 'back'), (1007, NULL, NULL)")
    session.sql(f"DELETE FROM {name} WHERE id BETWEEN 40 AND 60")
    session.sql(f"ALTER TABLE {name} RENAME COLUMN note TO remark")
    session.sql(f"DELETE FROM {name} WHERE remark = 'note-100'")


def ordered(rows):
    return sorted((tuple(row) for row in rows), key=lambda row: (row[0], row[1] or "", row[2] or ""))


@pytest.mark.parametrize(
    ("version", "granularity", "written", "spec"),
    [
        (2, "file", "PARQUET", "transforms"),
        (2, "partition", "PARQUET", "identity"),
        (3, "file", "PUFFIN", "transforms"),
    ],
    ids=str,
)
def test_all_show_the_rows_that_are_left(embedded_lake, reader, version, granularity, written, spec):
    table = f"mor.v{version}_{granularity}_{spec}"
    with engine("spark").connect(embedded_lake.server.iceberg, "ann") as session:
        name = session.name(table)
        write(session, name, version, SPECS[spec], granularity)
        formats = {file_format for (file_format,) in session.sql(f"SELECT DISTINCT file_format FROM {name}.delete_files")}
        assert formats == {written}
        left = ordered(session.sql(f"SELECT id, kind, remark FROM {name}"))
    assert 500 < len(left) < 850

    def shown(user, condition=""):
        answer = reader.query(user, f"SELECT id, kind, remark FROM {CATALOG}.{table} {condition}")
        return ordered(row.values() for row in answer.to_pylist())

    assert shown("ann") == left
    assert shown("ann", "WHERE kind IS NULL OR kind = 'k1'") == [row for row in left if row[1] in (None, "k1")]
    counted = reader.query("ann", f"SELECT count(*) AS n FROM {CATALOG}.{table}").to_pylist()
    assert counted == [{"n": len(left)}]
    scanned = embedded_lake.pyiceberg("ann").load_table(table).scan().to_arrow().to_pylist()
    assert ordered((row["id"], row["kind"], row["remark"]) for row in scanned) == left

    tag = table.replace(".", "-")
    embedded_lake.add_tag(f"{tag}-rows")
    embedded_lake.add_tag(f"{tag}-remark")
    embedded_lake.add_policy(f"{tag}-rows", "row_filter", 'filter := col("kind") != "k2"', f"{tag}-rows")
    embedded_lake.add_policy(f"{tag}-mask", "column_mask", 'mask := action("show-last-4")', f"{tag}-remark")
    embedded_lake.assign("table", f"{CATALOG}.{table}", f"{tag}-rows")
    embedded_lake.assign("column", f"{CATALOG}.{table}.remark", f"{tag}-remark")
    assert shown("bob") == ordered(
        (number, kind, masks.show_last_4(remark))
        for number, kind, remark in left
        if kind != "k2"
    )
