# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Values as SQL that all engines read alike."""

import datetime
import decimal


def literal(value):
    """One value."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case int():
            return str(value)
        case float():
            return f"CAST('{value}' AS DOUBLE)"
        case decimal.Decimal():
            return f"CAST('{value}' AS DECIMAL({len(value.as_tuple().digits)}, {-value.as_tuple().exponent}))"
        case datetime.datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ', timespec='microseconds')}'"
        case datetime.date():
            return f"DATE '{value.isoformat()}'"
        case str():
            return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"no literal for {type(value)}")


def values(rows):
    """The rows of an `INSERT`."""
    return ", ".join("(" + ", ".join(literal(value) for value in row) + ")" for row in rows)
