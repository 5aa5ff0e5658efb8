# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""What a trusted reader is sent as `read-restrictions` has the form of our JSON Schema."""

import pyarrow
import pytest
import requests

from harness import wire_schema
from harness.lake import CAPABILITY, CAPABILITY_HEADER, CATALOG
from harness.query import Reader
from harness.server import PASSWORD

SCHEMA = pyarrow.schema(
    [
        ("flag", pyarrow.bool_()),
        ("n", pyarrow.int32()),
        ("id", pyarrow.int64()),
        ("f", pyarrow.float32()),
        ("d", pyarrow.float64()),
        ("price", pyarrow.decimal128(9, 2)),
        ("day", pyarrow.date32()),
        ("clock", pyarrow.time64("us")),
        ("at", pyarrow.timestamp("us")),
        ("name", pyarrow.string()),
    ]
)
FILTER = """filter := col("flag") == true and col("n") in [1, 2] and 7 < col("id") if session_user() == "ann"
    else := col("f") == 0.1 or not col("d") in [0.5, -0.0] or col("price") >= 1.5 or col("day") == "2026-11-30"
    or col("clock") < "12:00:00" or col("at") != "2026-11-30T12:00:00" or col("name") == session_user()
    or col("n") == null"""


@pytest.fixture(scope="module")
def loaded(lake, tmp_path_factory):
    """How a user's table answer is got by a trusted reader."""
    for user in ["ann", "bob"]:
        lake.add_user(user)
    lake.add_readers("ann", "bob")
    catalog = lake.pyiceberg()
    catalog.create_namespace("wire")
    catalog.create_table("wire.t", schema=SCHEMA)
    lake.add_tag("typed")
    lake.assign("table", f"{CATALOG}.wire.t", "typed")
    lake.add_policy("all_types", "row_filter", FILTER, "typed")
    lake.add_tag("name")
    lake.assign("column", f"{CATALOG}.wire.t.name", "name")
    lake.add_policy("last_four", "column_mask", 'mask := action("show-last-4")', "name")
    reader = Reader(lake.server, tmp_path_factory.mktemp("reader"))
    files = [str(reader.identity / name) for name in ["certificate.pem", "key.pem", "authority.pem"]]

    def load(user):
        answer = requests.get(
            f"{lake.server.reader}/iceberg/v1/{CATALOG}/namespaces/wire/tables/t",
            auth=(user, PASSWORD), headers={CAPABILITY_HEADER: CAPABILITY},
            cert=tuple(files[:2]), verify=files[2], timeout=60,
        )  # fmt: skip
        assert answer.status_code == 200, answer.text
        return answer.json()["read-restrictions"]

    return load


@pytest.mark.parametrize("user", ["ann", "bob"])
def test_restrictions_of_every_type_are_valid(loaded, user):
    restrictions = loaded(user)
    assert set(restrictions) == {"required-row-filter", "required-column-projections"}
    assert list(wire_schema.VALIDATOR.iter_errors(restrictions)) == []


def test_a_wrong_form_is_seen():
    with pytest.raises(AssertionError):
        wire_schema.check([{"read-restrictions": {"required-row-filter": {"type": "eq", "term": "a", "value": 1}}}])
