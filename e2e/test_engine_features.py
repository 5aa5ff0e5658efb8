# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""What people do with each engine beyond creating, appending and reading: schemas and partitions that evolve, views,
branches, time travel, procedures. What one engine has evolved, another reads, and the native API knows."""

import datetime

import pyarrow
import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import IntegerType, LongType, NestedField, StringType, TimestampType

from harness.engines import engine
from harness.lake import CATALOG

USER = "ann"


@pytest.fixture(scope="module")
def lake(embedded_lake):
    embedded_lake.add_user(USER)
    embedded_lake.add_writers(USER)
    embedded_lake.add_role("viewers", ["create_view", "select_view"], [USER])
    embedded_lake.pyiceberg(USER).create_namespace("features")
    return embedded_lake


@pytest.fixture
def spark(lake):
    with engine("spark").connect(lake.server.iceberg, USER) as session:
        yield session


@pytest.fixture
def trino(lake):
    with engine("trino").connect(lake.server.iceberg, USER) as session:
        yield session


def read(lake, table):
    """All rows of a table as PyIceberg reads them, sorted."""
    found = lake.pyiceberg(USER).load_table(table).scan().to_arrow().to_pylist()
    return sorted((tuple(row.values()) for row in found), key=repr)


def owner(lake, kind, full_name):
    return lake.admin.get(*lake.at("owners", kind, f"{CATALOG}.{full_name}"))["owner"]["name"]


def numbers(session, table, version=None):
    """The ids of a table's rows, of one version if it is named."""
    of = "" if version is None else f" VERSION AS OF {version}"
    return sorted(number for (number,) in session.sql(f"SELECT id FROM {session.name(table)}{of}"))


def snapshots(session, table):
    """The ids of a table's snapshots, oldest first."""
    rows = session.sql(f"SELECT snapshot_id FROM {session.name(table)}.snapshots ORDER BY committed_at")
    return [number for (number,) in rows]


def test_pyiceberg_evolves_schemas_partitions_and_references(lake):
    catalog: RestCatalog = lake.pyiceberg(USER)
    schema = Schema(NestedField(1, "id", IntegerType()), NestedField(2, "seen", TimestampType()))
    table = catalog.create_table("features.evolving", schema=schema, properties={"purpose": "tests"})
    first = {"id": pyarrow.array([1, 2], pyarrow.int32()), "seen": [datetime.datetime(2026, 1, 1)] * 2}
    table.append(pyarrow.table(first))
    with table.update_spec() as update:
        update.add_field("id", IdentityTransform(), "part")
    with table.update_schema() as update:
        update.update_column("id", LongType())
        update.rename_column("seen", "seen_at")
        update.add_column("note", StringType(), doc="free text")
        update.move_first("note")
    second = {"note": ["x"], "id": [3], "seen_at": [datetime.datetime(2026, 1, 2)]}
    table.append(pyarrow.table(second))
    kept, grown = table.history()[0].snapshot_id, table.history()[1].snapshot_id
    table.manage_snapshots().create_tag(kept, "start").create_branch(grown, "trial").commit()
    table.append(pyarrow.table({"note": ["y"], "id": [4]}), branch="trial")
    with table.transaction() as change:
        change.set_properties({"purpose": "more tests"})
        change.delete("id = 2")
    table = catalog.load_table("features.evolving")
    assert table.properties["purpose"] == "more tests"
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == [1, 3]
    assert sorted(table.scan().use_ref("trial").to_arrow()["id"].to_pylist()) == [1, 2, 3, 4]
    assert sorted(table.scan(snapshot_id=table.refs()["start"].snapshot_id).to_arrow()["id"].to_pylist()) == [1, 2]
    with engine("duckdb").connect(lake.server.iceberg, USER) as session:
        assert session.sql(f"SELECT note, id, seen_at FROM {session.name('features.evolving')} ORDER BY id") == [
            (None, 1, datetime.datetime(2026, 1, 1)),
            ("x", 3, datetime.datetime(2026, 1, 2)),
        ]
    table.manage_snapshots().remove_tag("start").remove_branch("trial").commit()
    catalog.rename_table("features.evolving", "features.evolved")
    assert set(catalog.load_table("features.evolved").refs()) == {"main"}
    assert owner(lake, "table", "features.evolved") == USER
    columns = lake.admin.get(*lake.at("catalogs", CATALOG, "schemas", "features", "tables", "evolved"))["table"]["columns"]
    assert [(column["name"], column["type"]) for column in columns] == [
        ("note", "string"), ("id", "long"), ("seen_at", "timestamp(6)"),
    ]  # fmt: skip
    catalog.purge_table("features.evolved")
    assert not catalog.table_exists("features.evolved")


def test_duckdb_makes_schemas_updates_and_travels(lake):
    with engine("duckdb").connect(lake.server.iceberg, USER) as session:
        session.sql(f"CREATE SCHEMA {CATALOG}.of_duckdb")
        session.create("of_duckdb.birds")
        name = session.name("of_duckdb.birds")
        session.append("of_duckdb.birds", [(1, "wren"), (2, "crow")])
        session.sql(f"UPDATE {name} SET name = 'raven' WHERE id = 2")
        assert session.rows("of_duckdb.birds") == [(1, "wren"), (2, "raven")]
        first = lake.pyiceberg(USER).load_table("of_duckdb.birds").history()[0].snapshot_id
        assert sorted(session.sql(f"SELECT id, name FROM {name} AT (VERSION => {first})")) == [(1, "wren"), (2, "crow")]
        assert owner(lake, "schema", "of_duckdb") == owner(lake, "table", "of_duckdb.birds") == USER
        assert read(lake, "of_duckdb.birds") == [(1, "wren"), (2, "raven")]
        session.sql(f"DROP TABLE {name}")
        session.sql(f"DROP SCHEMA {CATALOG}.of_duckdb")
    assert ("of_duckdb",) not in lake.pyiceberg(USER).list_namespaces()


@pytest.mark.slow
def test_spark_evolves_partitions_and_changes_rows(lake, spark):
    table = "features.trips"
    name = spark.name(table)
    spark.sql(
        f"CREATE TABLE {name} (id INT, city STRING, at TIMESTAMP) USING iceberg PARTITIONED BY (days(at)) "
        "COMMENT 'all trips' TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read')"
    )
    spark.sql(
        f"INSERT INTO {name} VALUES (1, 'Oslo', TIMESTAMP '2026-01-01 10:00:00'), "
        "(2, 'Rome', TIMESTAMP '2026-01-02 10:00:00'), (3, 'Bonn', TIMESTAMP '2026-01-02 11:00:00')"
    )
    spark.sql(f"ALTER TABLE {name} ADD PARTITION FIELD bucket(4, id)")
    spark.sql(f"ALTER TABLE {name} ALTER COLUMN id TYPE BIGINT")
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN city TO town")
    spark.sql(f"ALTER TABLE {name} ADD COLUMN fare STRUCT<amount: DECIMAL(9, 2), coin: STRING> AFTER town")
    spark.sql(f"ALTER TABLE {name} WRITE ORDERED BY town")
    spark.sql(f"INSERT INTO {name} VALUES (4, 'Bern', struct(12.50, 'CHF'), TIMESTAMP '2026-01-03 00:00:00')")
    spark.sql(f"UPDATE {name} SET town = 'Roma' WHERE id = 2")
    spark.sql(f"DELETE FROM {name} WHERE id = 3")
    spark.sql(f"ALTER TABLE {name} DROP PARTITION FIELD days(at)")
    spark.sql(
        f"MERGE INTO {name} t USING (SELECT 1 AS id UNION ALL SELECT 5) s ON t.id = s.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, town) VALUES (s.id, 'Lund')"
    )
    assert sorted(spark.sql(f"SELECT id, town, fare.coin FROM {name}")) == [
        (2, "Roma", None), (4, "Bern", "CHF"), (5, "Lund", None),
    ]  # fmt: skip
    read_by_all = [(2, "Roma"), (4, "Bern"), (5, "Lund")]
    assert [row[:2] for row in read(lake, table)] == read_by_all
    with engine("duckdb").connect(lake.server.iceberg, USER) as session:
        assert sorted(session.sql(f"SELECT id, town FROM {session.name(table)}")) == read_by_all
    loaded = lake.admin.get(*lake.at("catalogs", CATALOG, "schemas", "features", "tables", "trips"))["table"]
    assert (loaded["comment"], loaded["columns"][0]["type"]) == ("all trips", "long")
    spark.sql(f"INSERT OVERWRITE {name} SELECT * FROM {name} WHERE id = 4")
    assert numbers(spark, table) == [4]
    spark.sql(f"CREATE TABLE {name}_copy USING iceberg AS SELECT id, town FROM {name}")
    spark.sql(f"REPLACE TABLE {name}_copy USING iceberg AS SELECT id + 1 AS id FROM {name}")
    spark.sql(f"ALTER TABLE {name}_copy RENAME TO features.trips_kept")
    assert numbers(spark, "features.trips_kept") == [5]
    assert ("trips_copy",) not in [row[1:2] for row in spark.sql(f"SHOW TABLES IN {spark.catalog}.features")]


@pytest.mark.slow
def test_spark_makes_branches_and_tags_and_travels_in_time(lake, spark):
    table = "features.branching"
    spark.create(table)
    name = spark.name(table)
    spark.append(table, [(1, "a")])
    spark.sql(f"ALTER TABLE {name} CREATE TAG first RETAIN 10 DAYS")
    spark.sql(f"ALTER TABLE {name} CREATE BRANCH trial WITH SNAPSHOT RETENTION 2 SNAPSHOTS")
    spark.sql(f"INSERT INTO {name}.branch_trial VALUES (2, 'b')")
    assert (numbers(spark, table), numbers(spark, table, "'trial'")) == ([1], [1, 2])
    spark.sql(f"CALL {spark.catalog}.system.fast_forward('{table}', 'main', 'trial')")
    spark.append(table, [(3, "c")])
    assert (numbers(spark, table), numbers(spark, table, "'first'")) == ([1, 2, 3], [1])
    oldest = snapshots(spark, table)[0]
    ((moment,),) = spark.sql(f"SELECT committed_at FROM {name}.snapshots WHERE snapshot_id = {oldest}")
    assert sorted(spark.sql(f"SELECT id FROM {name} TIMESTAMP AS OF '{moment}'")) == [(1,)]
    table_of_pyiceberg = lake.pyiceberg(USER).load_table(table)
    assert set(table_of_pyiceberg.refs()) == {"main", "first", "trial"}
    assert table_of_pyiceberg.refs()["trial"].min_snapshots_to_keep == 2
    spark.sql(f"ALTER TABLE {name} DROP BRANCH trial")
    spark.sql(f"ALTER TABLE {name} DROP TAG first")
    assert set(lake.pyiceberg(USER).load_table(table).refs()) == {"main"}


@pytest.mark.slow
def test_spark_runs_its_procedures(lake, spark):
    table = "features.kept_up"
    name, call = spark.name(table), f"CALL {spark.catalog}.system"
    spark.create(table)
    for number in range(1, 5):
        spark.append(table, [(number, "x")])
    first, second, *_ = snapshots(spark, table)
    spark.sql(f"{call}.rollback_to_snapshot('{table}', {second})")
    assert numbers(spark, table) == [1, 2]
    spark.sql(f"{call}.set_current_snapshot('{table}', {first})")
    assert numbers(spark, table) == [1]
    spark.sql(f"{call}.cherrypick_snapshot('{table}', {second})")
    assert numbers(spark, table) == [1, 2]
    spark.append(table, [(3, "y"), (4, "z")])
    spark.sql(f"{call}.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true'))")
    spark.sql(f"{call}.rewrite_manifests('{table}')")
    assert spark.sql(f"SELECT count(*) FROM {name}.files") == [(1,)]
    spark.sql(f"{call}.expire_snapshots(table => '{table}', older_than => TIMESTAMP '2100-01-01', retain_last => 1)")
    assert len(snapshots(spark, table)) == 1
    spark.sql(f"{call}.remove_orphan_files(table => '{table}', dry_run => true)")
    assert numbers(spark, table) == [1, 2, 3, 4]
    location = lake.pyiceberg(USER).load_table(table).metadata_location
    spark.sql(f"DROP TABLE {name}")
    spark.sql(f"{call}.register_table(table => '{table}', metadata_file => '{location}')")
    assert numbers(spark, table) == [1, 2, 3, 4]
    assert owner(lake, "table", table) == USER


@pytest.mark.slow
def test_spark_keeps_views(lake, spark):
    table, view = "features.seen", "features.seen_once"
    spark.create(table)
    spark.append(table, [(1, "a"), (2, "b")])
    name = spark.name(view)
    spark.sql(f"CREATE VIEW {name} (number COMMENT 'its id') COMMENT 'ids' AS SELECT id FROM {spark.name(table)}")
    assert sorted(spark.sql(f"SELECT number FROM {name}")) == [(1,), (2,)]
    assert owner(lake, "view", view) == USER
    spark.sql(f"CREATE OR REPLACE VIEW {name} AS SELECT id, name FROM {spark.name(table)} WHERE id > 1")
    spark.sql(f"ALTER VIEW {name} SET TBLPROPERTIES ('kept' = 'yes')")
    assert spark.sql(f"SELECT * FROM {name}") == [(2, "b")]
    assert "seen_once" in [row[1] for row in spark.sql(f"SHOW VIEWS IN {spark.catalog}.features")]
    listed = lake.admin.get(*lake.at("catalogs", CATALOG, "schemas", "features", "views"))["identifiers"]
    assert [found["name"] for found in listed] == ["seen_once"]
    spark.sql(f"ALTER VIEW {name} RENAME TO {spark.name('features.seen_now')}")
    assert spark.sql(f"SELECT * FROM {spark.name('features.seen_now')}") == [(2, "b")]
    assert owner(lake, "view", "features.seen_now") == USER
    spark.sql(f"DROP VIEW {spark.name('features.seen_now')}")
    assert lake.pyiceberg(USER).list_views("features") == []


@pytest.mark.trino
def test_trino_evolves_and_changes_rows(lake, trino):
    table = "features.of_trino"
    name = trino.name(table)
    trino.sql(
        f"CREATE TABLE {name} (id INTEGER, city VARCHAR, at TIMESTAMP(6)) COMMENT 'stops' "
        "WITH (partitioning = ARRAY['day(at)'], format_version = 2)"
    )
    trino.sql(f"INSERT INTO {name} VALUES (1, 'Oslo', TIMESTAMP '2026-01-01 10:00:00'), (2, 'Rome', NULL)")
    trino.sql(f"ALTER TABLE {name} RENAME COLUMN city TO town")
    trino.sql(f"ALTER TABLE {name} ADD COLUMN note VARCHAR")
    trino.sql(f"ALTER TABLE {name} SET PROPERTIES partitioning = ARRAY['bucket(id, 4)']")
    trino.sql(f"UPDATE {name} SET note = 'old' WHERE id = 1")
    trino.sql(
        f"MERGE INTO {name} t USING (VALUES 2, 3) s(id) ON t.id = s.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, town) VALUES (s.id, 'Lund')"
    )
    expected = [(1, "Oslo", "old"), (3, "Lund", None)]
    assert sorted(trino.sql(f"SELECT id, town, note FROM {name}"))[:2] == expected
    assert [(row[0], row[1], row[3]) for row in read(lake, table)] == expected
    ((oldest,),) = trino.sql(
        f'SELECT snapshot_id FROM {trino.catalog}.features."of_trino$snapshots" '
        "WHERE operation = 'append' ORDER BY committed_at DESC LIMIT 1"
    )
    assert len(trino.sql(f"SELECT id FROM {name} FOR VERSION AS OF {oldest}")) == 2
    trino.sql(f"ALTER TABLE {name} ALTER COLUMN id SET DATA TYPE BIGINT")
    trino.sql(f"ANALYZE {name}")
    trino.sql(f"ALTER TABLE {name} EXECUTE optimize")
    trino.sql(f"CREATE TABLE {name}_copy AS SELECT id FROM {name}")
    trino.sql(f"ALTER TABLE {name}_copy RENAME TO {trino.name('features.of_trino_kept')}")
    assert sorted(trino.sql(f"SELECT id FROM {trino.name('features.of_trino_kept')}")) == [(1,), (3,)]
    assert owner(lake, "table", "features.of_trino_kept") == USER
    trino.sql(f"DROP TABLE {trino.name('features.of_trino_kept')}")
    assert not lake.pyiceberg(USER).table_exists("features.of_trino_kept")


@pytest.mark.trino
def test_trino_keeps_schemas_and_views(lake, trino):
    trino.sql(f"CREATE SCHEMA {trino.catalog}.views_of_trino")
    trino.create("views_of_trino.seen")
    trino.append("views_of_trino.seen", [(1, "a"), (2, "b")])
    name = trino.name("views_of_trino.once")
    trino.sql(f"CREATE VIEW {name} COMMENT 'ids' AS SELECT id FROM {trino.name('views_of_trino.seen')}")
    assert sorted(trino.sql(f"SELECT id FROM {name}")) == [(1,), (2,)]
    trino.sql(f"CREATE OR REPLACE VIEW {name} AS SELECT id FROM {trino.name('views_of_trino.seen')} WHERE id > 1")
    assert trino.sql(f"SELECT id FROM {name}") == [(2,)]
    assert owner(lake, "view", "views_of_trino.once") == USER
    trino.sql(f"ALTER VIEW {name} RENAME TO {trino.name('views_of_trino.now')}")
    assert lake.pyiceberg(USER).list_views("views_of_trino") == [("views_of_trino", "now")]
    trino.sql(f"DROP VIEW {trino.name('views_of_trino.now')}")
    trino.sql(f"DROP TABLE {trino.name('views_of_trino.seen')}")
    trino.sql(f"DROP SCHEMA {trino.catalog}.views_of_trino")
    assert ("views_of_trino",) not in lake.pyiceberg(USER).list_namespaces()
