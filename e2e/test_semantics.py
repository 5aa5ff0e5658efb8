# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever is asked of a restricted table has the answer that a physically filtered and masked copy gives."""

import datetime

import pyarrow
import pytest

from harness import masks
from harness.lake import CATALOG
from harness.query import Reader

SCHEMA = pyarrow.schema(
    [
        ("id", pyarrow.int64()),
        ("n", pyarrow.int32()),
        ("x", pyarrow.float64()),
        ("name", pyarrow.string()),
        ("city", pyarrow.string()),
        ("born", pyarrow.date32()),
    ]
)
CITIES = ["Oslo", "Åre", "København", None, "Bø"]


def original():
    """Rows with nulls, NaN, both zeros and repeated values in every interesting place."""
    floats = [None, float("nan"), -0.0, 0.0, 1.5, float("inf"), -2.5]
    return [
        {
            "id": number,
            "n": None if number % 7 == 0 else number % 11,
            "x": floats[number % len(floats)],
            "name": None if number % 13 == 0 else f"person-{number % 40:02}",
            "city": CITIES[number % len(CITIES)],
            "born": None if number % 5 == 0 else datetime.date(1960 + number % 40, 1 + number % 12, 1 + number % 28),
        }
        for number in range(3000)
    ]


# Name of the table, its row filter, and whether a row stays: null is below every number and unequal to every value.
FILTERS = {
    "less": ('col("n") < 5', lambda row: row["n"] is None or row["n"] < 5),
    "less_or_equal": ('col("n") <= 5', lambda row: row["n"] is None or row["n"] <= 5),
    "unequal": ('col("n") != 5', lambda row: row["n"] != 5),
    "not_equal": ('not col("n") == 5', lambda row: row["n"] != 5),
    "not_less": ('not col("n") < 5', lambda row: row["n"] is not None and row["n"] >= 5),
    "not_in": ('not col("city") in ["Oslo", "Bø"]', lambda row: row["city"] not in ("Oslo", "Bø")),
    "null_only": ('col("n") == null or col("x") > 1', lambda row: row["n"] is None or above_one(row["x"])),
    "nothing": ("false", lambda row: False),
}


def above_one(number):
    """Iceberg's order: NaN is above every number."""
    return number is not None and (number != number or number > 1)


MASKED = {
    "name": ('mask := action("show-last-4")', masks.show_last_4),
    "city": ('mask := action("mask-alphanum")', masks.mask_alphanum),
    "born": ('mask := action("truncate-to-year")', masks.truncate_to_year),
}

QUERIES = [
    "SELECT * FROM {t} ORDER BY id",
    "SELECT count(*) AS c FROM {t}",
    "SELECT count(name) AS c, count(DISTINCT name) AS d, count(n) AS e FROM {t}",
    "SELECT min(name) AS a, max(name) AS b, min(city) AS c, max(city) AS d, min(born) AS e, max(born) AS f FROM {t}",
    "SELECT min(n) AS a, max(n) AS b, sum(n) AS c FROM {t}",
    "SELECT count(*) AS c FROM {t} WHERE name = 'person-07'",
    "SELECT count(*) AS c FROM {t} WHERE name = 'xxxxx-07'",
    "SELECT count(*) AS c FROM {t} WHERE name LIKE '%7'",
    "SELECT count(*) AS c FROM {t} WHERE city = 'Oslo'",
    "SELECT count(*) AS c FROM {t} WHERE city <> 'xxxx'",
    "SELECT count(*) AS c FROM {t} WHERE city IN ('xx', 'xxx') OR city IS NULL",
    "SELECT count(*) AS c FROM {t} WHERE born = DATE '1975-01-01'",
    "SELECT count(*) AS c FROM {t} WHERE born > DATE '1975-01-01'",
    "SELECT count(*) AS c FROM {t} WHERE born IS NULL",
    "SELECT count(*) AS c FROM {t} WHERE n IS NULL",
    "SELECT count(*) AS c FROM {t} WHERE n = 5",
    "SELECT count(*) AS c FROM {t} WHERE n < 3 AND name IS NOT NULL",
    "SELECT count(*) AS c FROM {t} WHERE NOT (n = 4)",
    "SELECT count(*) AS c FROM {t} WHERE 1 = 0 OR n + 1 > 4",
    "SELECT count(*) AS c FROM {t} WHERE x > 0.5",
    "SELECT name, count(*) AS c FROM {t} GROUP BY name ORDER BY name NULLS FIRST",
    "SELECT city, born, sum(n) AS s FROM {t} GROUP BY city, born ORDER BY city NULLS FIRST, born NULLS FIRST",
    "SELECT city FROM {t} GROUP BY city HAVING count(*) > 100 ORDER BY city NULLS LAST",
    "SELECT id, name FROM {t} ORDER BY name DESC NULLS LAST, id LIMIT 7",
    "SELECT id, born FROM {t} ORDER BY born NULLS FIRST, id DESC LIMIT 5 OFFSET 3",
    "SELECT id FROM {t} ORDER BY id LIMIT 3",
    "SELECT DISTINCT city FROM {t} ORDER BY city NULLS FIRST",
    "SELECT count(*) AS c FROM {t} a JOIN {t} b ON a.name = b.name WHERE a.id < 60 AND b.id < 60",
    "SELECT count(*) AS c FROM {t} a LEFT JOIN {t} b ON a.id = b.id + 1 AND b.city = 'xxxx'",
    "SELECT count(*) AS c FROM {t} WHERE id IN (SELECT max(id) FROM {t} GROUP BY city)",
    "SELECT count(*) AS c FROM {t} a WHERE NOT EXISTS (SELECT 1 FROM {t} b WHERE b.name = a.name AND b.id > a.id)",
    "SELECT id, row_number() OVER (PARTITION BY city ORDER BY id) AS r FROM {t} ORDER BY id LIMIT 20",
    "WITH t AS (SELECT name, n FROM {t}) SELECT name, max(n) AS m FROM t GROUP BY name ORDER BY name NULLS FIRST LIMIT 9",
    "SELECT name FROM {t} WHERE id < 40 UNION SELECT city FROM {t} WHERE id < 40 ORDER BY 1 NULLS FIRST",
    "SELECT CASE WHEN name = 'person-07' THEN 'seen' ELSE 'masked' END AS c, count(*) AS n FROM {t} GROUP BY 1 ORDER BY 1",
]


@pytest.fixture(scope="module")
def reader(lake, tmp_path_factory):
    lake.add_user("bob")
    lake.add_readers("bob")
    catalog = lake.pyiceberg()
    for namespace in ["governed", "copied"]:
        catalog.create_namespace(namespace)
    for column, (rule, _) in MASKED.items():
        lake.add_tag(f"mask-{column}")
        lake.add_policy(f"of-{column}", "column_mask", rule, f"mask-{column}")
    lake.add_tag("rows")
    rows = original()
    for name, (rule, keeps) in FILTERS.items():
        governed = catalog.create_table(f"governed.{name}", schema=SCHEMA)
        # Several files, so that statistics differ between them.
        for start in range(0, len(rows), 1000):
            governed.append(pyarrow.Table.from_pylist(rows[start : start + 1000], SCHEMA))
        copy = [
            {column: MASKED[column][1](value) if column in MASKED else value for column, value in row.items()}
            for row in rows
            if keeps(row)
        ]
        catalog.create_table(f"copied.{name}", schema=SCHEMA).append(pyarrow.Table.from_pylist(copy, SCHEMA))
        table = f"{CATALOG}.governed.{name}"
        lake.assign("table", table, "rows", name)
        lake.add_policy(f"rows-{name}", "row_filter", f"filter := {rule}", "rows", name)
        for column in MASKED:
            lake.assign("column", f"{table}.{column}", f"mask-{column}")
    return Reader(lake.server, tmp_path_factory.mktemp("reader"))


QUICK = ["less_or_equal", "unequal", "not_less"]


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FILTERS]
)
def test_restricted_and_copied_tables_answer_alike(reader, name):
    different = []
    for query in QUERIES:
        restricted, copied = (
            reader.run("bob", query.format(t=f"{CATALOG}.{schema}.{name}"), "--format", "csv")
            for schema in ("governed", "copied")
        )
        if restricted != copied:
            different.append(f"{query}\nrestricted:\n{restricted[:600]}\ncopied:\n{copied[:600]}")
    assert not different, "\n\n".join(different)
