# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The flights, filtered and masked by tags, through `lakeward query` as two users: every row and every masked value
equals what pandas computes."""

import datetime

import pytest

from harness import flights, masks
from harness.lake import CATALOG
from harness.query import CommandFailed, Reader

TABLE = f"{CATALOG}.air.flights"

# Tag on the column, rule, and what an auditor and anybody else see of a value.
COLUMNS = {
    "tailnum": (
        'mask := action("show-last-4") if is_group_member("auditors") else := action("mask-alphanum")',
        masks.show_last_4,
        masks.mask_alphanum,
    ),
    "dest": (
        'mask := action("show-first-4") if is_group_member("auditors") else := action("replace-with-null")',
        masks.show_first_4,
        lambda _: None,
    ),
    "carrier": (
        'mask := action("sha-256-global") if session_user() == "ann" else := action("mask-to-fixed-value")',
        masks.sha_256_of_text,
        lambda _: "XXXXXXXX",
    ),
    "flight": ('mask := action("sha-256-global")', masks.sha_256_of_long, masks.sha_256_of_long),
    "distance": ('mask := action("mask-to-fixed-value")', lambda _: 0, lambda _: 0),
    "time_hour": ('mask := action("truncate-to-month")', masks.truncate_to_month, masks.truncate_to_month),
    "flown_on": (
        'mask := action("truncate-to-month") if is_group_member("auditors") else := action("truncate-to-year")',
        masks.truncate_to_month,
        masks.truncate_to_year,
    ),
}
ROWS = (
    'filter := col("origin") == "JFK" and col("dep_time") != null if is_group_member("auditors") '
    'else := col("tailnum") != "N14228" and col("dep_delay") <= 60 and not col("month") in [7, 8]'
)


def is_visible(user, row):
    """The row filter; null is below everything and unequal to everything."""
    if user == "ann":
        return row["origin"] == "JFK" and row["dep_time"] is not None
    return (
        row["tailnum"] != "N14228"
        and (row["dep_delay"] is None or row["dep_delay"] <= 60)
        and row["month"] not in (7, 8)
    )


@pytest.fixture(scope="module")
def reader(lake, tmp_path_factory):
    lake.add_group("auditors")
    lake.add_user("ann", ["auditors"])
    lake.add_user("bob")
    lake.add_readers("ann", "bob")
    catalog = lake.pyiceberg()
    catalog.create_namespace("air")
    catalog.create_table("air.flights", schema=flights.table().schema).append(flights.table())
    lake.add_tag("region", ["new-york", "elsewhere"])
    lake.assign("table", TABLE, "region", "new-york")
    lake.add_policy("rows", "row_filter", ROWS, "region", "new-york")
    lake.add_policy("no-rows", "row_filter", "filter := false", "region", "elsewhere")
    for column, (rule, _, _) in COLUMNS.items():
        lake.add_tag(f"mask-{column}")
        lake.assign("column", f"{TABLE}.{column}", f"mask-{column}")
        lake.add_policy(f"of-{column}", "column_mask", rule, f"mask-{column}")
    return Reader(lake.server, tmp_path_factory.mktemp("reader"))


@pytest.fixture(scope="module")
def everything():
    return flights.table().to_pylist()


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_every_row_and_every_masked_value_is_right(reader, everything, user):
    expected = [row for row in everything if is_visible(user, row)]
    mask_of = {column: rules[1 if user == "ann" else 2] for column, rules in COLUMNS.items()}
    rows = reader.query(user, f"SELECT * FROM {TABLE} ORDER BY flight_id").to_pylist()
    assert len(rows) == len(expected) and 0 < len(rows) < flights.ROWS
    for row, original in zip(rows, expected, strict=True):
        shown = {column: mask_of[column](value) if column in mask_of else value for column, value in original.items()}
        assert row == shown


def test_digests_of_one_query_agree_with_each_other_only(lake, reader, everything):
    lake.add_tag("joined")
    lake.assign("column", f"{TABLE}.sched_dep_time", "joined")
    lake.add_policy("joinable", "column_mask", 'mask := action("sha-256-query-local")', "joined")
    sql = f"SELECT flight_id, sched_dep_time AS digest FROM {TABLE} ORDER BY flight_id"
    first, second = (reader.query("ann", sql)["digest"].to_pylist() for _ in range(2))
    assert first != second
    originals = [row["sched_dep_time"] for row in everything if is_visible("ann", row)]
    for digests in first, second:
        pairs = set(zip(originals, digests, strict=True))
        assert len(pairs) == len(set(originals)) == len(set(digests))
    both = f"SELECT count(*) AS n FROM {TABLE} a JOIN {TABLE} b USING (flight_id) WHERE a.sched_dep_time = b.sched_dep_time"
    assert reader.query("ann", both)["n"].to_pylist() == [len(originals)]


def test_a_user_without_privileges_reads_nothing(lake, reader):
    lake.add_user("eve")
    with pytest.raises(CommandFailed):
        reader.query("eve", f"SELECT count(*) FROM {TABLE}")


def test_metadata_tables_of_a_restricted_table_are_refused(reader):
    for name in ["files", "snapshots", "partitions", "manifests", "history"]:
        for table in [f'{CATALOG}.air."flights${name}"', f"{TABLE}.{name}"]:
            with pytest.raises(CommandFailed):
                reader.query("ann", f"SELECT * FROM {table}")


def test_a_change_of_tags_and_policies_is_effective_with_the_next_query(lake, reader):
    count = f"SELECT count(*) AS n FROM {TABLE}"
    before = reader.query("bob", count)["n"].to_pylist()
    lake.unassign("table", TABLE, "region", "new-york")
    lake.assign("table", TABLE, "region", "elsewhere")
    assert reader.query("bob", count)["n"].to_pylist() == [0]
    lake.unassign("table", TABLE, "region", "elsewhere")
    lake.assign("table", TABLE, "region", "new-york")
    assert reader.query("bob", count)["n"].to_pylist() == before


def test_conflicting_policies_refuse_the_load(lake, reader):
    lake.add_tag("second")
    lake.assign("table", TABLE, "second")
    lake.add_policy("other-rows", "row_filter", 'filter := col("origin") == "LGA"', "second")
    with pytest.raises(CommandFailed) as refused:
        reader.query("bob", f"SELECT count(*) FROM {TABLE}")
    # Query users learn a code, no names of policies or tags.
    assert "conflict" in refused.value.error
    assert "other-rows" not in refused.value.error and "second" not in refused.value.error
    lake.enable_policy("other-rows", False)
    assert reader.query("bob", f"SELECT count(*) AS n FROM {TABLE}").num_rows == 1


def test_a_reader_that_is_removed_is_trusted_no_more(lake, reader, tmp_path):
    other = Reader(lake.server, tmp_path, "short-lived")
    count = f"SELECT count(*) AS n FROM {TABLE}"
    assert other.query("bob", count).num_rows == 1
    lake.admin.delete("readers", "short-lived")
    with pytest.raises(CommandFailed):
        other.query("bob", count)


def test_dates_are_dates(reader):
    shown = reader.query("bob", f"SELECT DISTINCT flown_on FROM {TABLE} ORDER BY flown_on")
    assert shown["flown_on"].to_pylist() == [datetime.date(2013, 1, 1), datetime.date(2014, 1, 1)]
