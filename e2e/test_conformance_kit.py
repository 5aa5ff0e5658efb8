# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The conformance kit against a reader that ignores `read-restrictions`: PyIceberg. It is seen to leak, and to be refused
everything that is restricted as long as it does not claim to enforce restrictions."""

import datetime
import math
import re
import signal
import subprocess
from decimal import Decimal

import pytest
import requests
from pyiceberg.catalog.rest import RestCatalog

from harness import wire_schema
from harness.lake import CAPABILITY, CAPABILITY_HEADER
from harness.server import binary

READY = re.compile(r"^ready iceberg=(\S+) kit=(\S+)$")
ROW = "kit_row"
SECONDS = 60


class Kit:
    """A running `lakeward conformance serve`."""

    def __init__(self):
        self.process = subprocess.Popen(
            [binary(), "conformance", "serve"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        match = READY.match(self.process.stdout.readline().rstrip("\n"))
        assert match, "the kit did not start"
        self.iceberg, self.url = match.groups()

    def cases(self):
        return requests.get(f"{self.url}/cases", timeout=SECONDS).json()["cases"]

    def answer(self, case, answer):
        posted = requests.post(f"{self.url}/answers/{case['case']}", json=answer, timeout=SECONDS)
        assert posted.status_code == 200, posted.text
        return posted.json()

    def report(self):
        headers = {"Accept": "application/json"}
        return requests.get(f"{self.url}/report", headers=headers, timeout=SECONDS).json()

    def end(self):
        """Exit status and report."""
        self.process.send_signal(signal.SIGTERM)
        report, _ = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, report


@pytest.fixture
def kit():
    kit = Kit()
    # What a reader must refuse is served as the fixtures have it.
    wire_schema.UNWATCHED.add(kit.iceberg)
    yield kit
    wire_schema.UNWATCHED.remove(kit.iceberg)
    kit.process.kill()
    kit.process.wait()
    kit.process.stdout.close()


def single_value(value):
    """Iceberg's single-value JSON, as far as the primitive types of the kit go."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, (datetime.datetime, datetime.time)):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex().upper()
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def read(catalog, case):
    """What PyIceberg returns of a table."""
    try:
        table = catalog.load_table((case["namespace"], case["table"]))
        rows = table.scan(selected_fields=tuple(case["columns"])).to_arrow().to_pylist()
    except Exception as error:  # Whatever fails is a refusal to the kit.
        return {"refused": True, "reason": repr(error)}
    return {"rows": [{name: single_value(value) for name, value in row.items()} for row in rows]}


def run(kit, **properties):
    catalog = RestCatalog("kit", uri=kit.iceberg, **properties)
    cases = kit.cases()
    assert len(cases) > 200
    verdicts = {case["case"]: kit.answer(case, read(catalog, case)) for case in cases}
    report = kit.report()
    assert report["missing"] == 0 and report["passed"] + report["failed"] == len(cases)
    return verdicts, report


def test_a_client_that_claims_to_enforce_restrictions_and_does_not_is_seen_to_leak(kit):
    verdicts, report = run(kit, **{f"header.{CAPABILITY_HEADER}": CAPABILITY})
    assert report["leaked"] > 200, report
    assert verdicts["eval.read_none"]["passed"] and verdicts["eval.read_null"]["passed"]
    for case in ["eval.read_deny", "eval.bad_named", "masks.show_last_4_string", "eval.null_i_eq"]:
        assert verdicts[case]["leaked"], verdicts[case]
    status, text = kit.end()
    assert status == 1
    assert "specification at 6dec25e4" in text and f"{report['failed']} failed" in text


def test_a_client_that_claims_nothing_is_refused_and_leaks_nothing(kit):
    verdicts, report = run(kit)
    assert report["leaked"] == 0
    assert verdicts["eval.read_none"]["passed"] and verdicts["eval.bad_named"]["passed"]
    assert not verdicts["eval.null_i_eq"]["passed"]
