# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""PyIceberg, an ordinary Iceberg client: a real table written, read, evolved; and refused where restrictions apply."""

import pyarrow
import pyarrow.compute
import pytest
import requests
from pyiceberg.exceptions import (
    CommitFailedException,
    ForbiddenError,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    RESTError,
    TableAlreadyExistsError,
)
from pyiceberg.expressions import EqualTo
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from harness import flights
from harness.lake import CAPABILITY, CAPABILITY_HEADER, CATALOG
from harness.server import ADMIN, PASSWORD

SMALL = Schema(NestedField(1, "id", LongType(), required=True), NestedField(2, "name", StringType()))


@pytest.fixture(scope="module")
def catalog(lake):
    lake.add_user("ann")
    lake.add_user("bob")
    lake.add_readers("ann", "bob")
    return lake.pyiceberg()


@pytest.fixture(scope="module")
def written(catalog):
    catalog.create_namespace("air")
    table = catalog.create_table("air.flights", schema=flights.table().schema)
    table.append(flights.table())
    return table


def test_namespaces(catalog):
    catalog.create_namespace("outer", {"k": "v"})
    catalog.create_namespace(("outer", "inner"))
    assert ("outer",) in catalog.list_namespaces()
    assert catalog.list_namespaces("outer") == [("outer", "inner")]
    assert catalog.load_namespace_properties("outer")["k"] == "v"
    summary = catalog.update_namespace_properties("outer", removals={"k", "none"}, updates={"a": "b"})
    assert (summary.removed, summary.updated, summary.missing) == (["k"], ["a"], ["none"])
    with pytest.raises(NamespaceAlreadyExistsError):
        catalog.create_namespace("outer")
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace("outer")
    catalog.drop_namespace(("outer", "inner"))
    catalog.drop_namespace("outer")
    with pytest.raises(NoSuchNamespaceError):
        catalog.load_namespace_properties("outer")


def test_flights_read_back_equal(catalog, written):
    table = catalog.load_table("air.flights")
    assert table.metadata_location == written.metadata_location
    read = table.scan().to_arrow()
    assert read.num_rows == flights.ROWS
    expected = flights.table().cast(read.schema)
    assert read.sort_by("flight_id").combine_chunks().equals(expected.combine_chunks())
    jfk = table.scan(row_filter=EqualTo("origin", "JFK"), selected_fields=("flight_id", "origin")).to_arrow()
    assert jfk.num_rows == (flights.frame()["origin"] == "JFK").sum()


def test_schema_evolves(catalog, written):
    table = catalog.create_table("air.evolving", schema=SMALL)
    table.append(pyarrow.table({"id": [1, 2], "name": ["a", None]}, schema=table.schema().as_arrow()))
    with table.update_schema() as update:
        update.add_column("note", StringType(), "a note")
        update.rename_column("name", "label")
    rows = catalog.load_table("air.evolving").scan().to_arrow().sort_by("id")
    assert rows.column_names == ["id", "label", "note"]
    assert rows["label"].to_pylist() == ["a", None] and rows["note"].to_pylist() == [None, None]
    with table.update_schema() as update:
        update.delete_column("note")
    assert catalog.load_table("air.evolving").schema().column_names == ["id", "label"]


def test_snapshots_properties_and_partitions(catalog, written):
    spec = PartitionSpec(PartitionField(source_id=2, field_id=1000, transform=IdentityTransform(), name="name"))
    table = catalog.create_table("air.parted", schema=SMALL, partition_spec=spec, properties={"p": "q"})
    for name in ["a", "b"]:
        table.append(pyarrow.table({"id": [1], "name": [name]}, schema=table.schema().as_arrow()))
    table.overwrite(pyarrow.table({"id": [9], "name": ["b"]}, schema=table.schema().as_arrow()), EqualTo("name", "b"))
    table.delete(EqualTo("name", "a"))
    with table.transaction() as transaction:
        transaction.set_properties(p="r", new="x")
    loaded = catalog.load_table("air.parted")
    assert loaded.properties["p"] == "r" and loaded.properties["new"] == "x"
    assert loaded.scan().to_arrow().to_pylist() == [{"id": 9, "name": "b"}]
    assert len(loaded.metadata.snapshots) >= 4
    first = loaded.metadata.snapshots[0].snapshot_id
    assert loaded.scan(snapshot_id=first).to_arrow().num_rows == 1
    with loaded.manage_snapshots() as manage:
        manage.create_tag(first, "first")
    assert "first" in catalog.load_table("air.parted").refs()


def test_lists_renames_registers_and_drops(catalog, written):
    catalog.create_table("air.short", schema=SMALL)
    assert ("air", "short") in catalog.list_tables("air")
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table("air.short", schema=SMALL)
    renamed = catalog.rename_table("air.short", "air.shorter")
    assert catalog.table_exists("air.shorter") and not catalog.table_exists("air.short")
    location = renamed.metadata_location
    catalog.drop_table("air.shorter")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("air.shorter")
    assert catalog.register_table("air.again", location).metadata_location == location
    catalog.drop_table("air.again")


def test_a_lost_race_loses_nothing(catalog, written):
    table = catalog.create_table("air.raced", schema=SMALL)
    other = catalog.load_table("air.raced")
    rows = pyarrow.table({"id": [1], "name": ["a"]}, schema=table.schema().as_arrow())
    with table.update_schema() as update:
        update.add_column("won", StringType())
    with pytest.raises(CommitFailedException):
        with other.update_schema() as update:
            update.add_column("lost", StringType())
    table.append(rows.append_column("won", pyarrow.array([None], pyarrow.string())))
    assert catalog.load_table("air.raced").schema().column_names == ["id", "name", "won"]
    assert catalog.load_table("air.raced").scan().count() == 1


def test_staged_creation(catalog, written):
    with catalog.create_table_transaction("air.staged", schema=SMALL) as transaction:
        assert not catalog.table_exists("air.staged")
        transaction.set_properties(made="staged")
    assert catalog.load_table("air.staged").properties["made"] == "staged"


@pytest.fixture(scope="module")
def restricted(lake, catalog, written):
    """A table that is restricted for everybody."""
    table = catalog.create_table("air.secret", schema=SMALL)
    table.append(pyarrow.table({"id": [1, 2], "name": ["a", "b"]}, schema=table.schema().as_arrow()))
    lake.add_tag("secret")
    lake.assign("table", f"{CATALOG}.air.secret", "secret")
    lake.add_policy("only-a", "row_filter", 'filter := col("name") == "a"', "secret")
    return table


def test_an_ordinary_client_is_refused_where_restrictions_apply(lake, restricted):
    with pytest.raises(RESTError) as refused:
        lake.pyiceberg("bob").load_table("air.secret")
    assert "read-restrictions.v1" in str(refused.value)
    assert lake.pyiceberg("bob").load_table("air.flights").scan(limit=1).to_arrow().num_rows == 1


def test_a_forged_declaration_is_refused_too(lake, restricted):
    forged = lake.pyiceberg("bob", **{f"header.{CAPABILITY_HEADER}": CAPABILITY})
    with pytest.raises(ForbiddenError):
        forged.load_table("air.secret")


def test_the_statuses_are_those_of_the_protocol(lake, restricted):
    url = f"{lake.server.iceberg}/v1/{CATALOG}/namespaces/air/tables/secret"

    def status(user, **headers):
        return requests.get(url, auth=(user, PASSWORD), headers=headers, timeout=60).status_code

    declared = {CAPABILITY_HEADER: CAPABILITY}
    assert status("bob") == 406
    assert status("bob", **{CAPABILITY_HEADER: "read-restrictions.v2"}) == 406
    assert status("bob", **{CAPABILITY_HEADER: f"{CAPABILITY},,x"}) == 406
    assert status("bob", **declared) == 403
    # A restriction exempts nobody, the owner included.
    assert status(ADMIN) == 406 and status(ADMIN, **declared) == 403
    assert requests.get(url, auth=("bob", "wrong-password-1"), timeout=60).status_code == 401
    # That the table exists is what a refused GET tells too; HEAD tells no more.
    head = requests.head(url, auth=("bob", PASSWORD), timeout=60)
    assert head.status_code in (204, 406) and "ETag" not in head.headers


def test_an_outsider_learns_nothing(lake, restricted):
    lake.add_user("eve")
    for name in ["secret", "nothing"]:
        with pytest.raises(ForbiddenError):
            lake.pyiceberg("eve").load_table(f"air.{name}")
