# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The mask actions once more, written from the language reference on Python values; None is null."""

import datetime
import hashlib
import struct


def mask_alphanum(text):
    if text is None:
        return None
    kept = "(),.-@"
    return "".join("n" if c in "0123456789" else c if c in kept else "x" for c in text)


def show_first_4(text):
    return None if text is None else text[:4] + mask_alphanum(text[4:])


def show_last_4(text):
    return None if text is None else mask_alphanum(text[:-4]) + text[-4:]


def truncate_to_month(value):
    if value is None:
        return None
    first = value.replace(day=1)
    return first.replace(hour=0, minute=0, second=0, microsecond=0) if isinstance(value, datetime.datetime) else first


def truncate_to_year(value):
    return None if value is None else truncate_to_month(value).replace(month=1)


def sha_256_of_long(number):
    if number is None:
        return None
    return struct.unpack("<q", hashlib.sha256(struct.pack("<q", number)).digest()[:8])[0]


def sha_256_of_text(text):
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()
