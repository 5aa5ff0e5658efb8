# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Apache Iceberg's REST Compatibility Kit, and the same tests of its newest version, on every store that is there. What does
not pass yet is listed in `compatibility-kit.tsv` with the reason; the list may only shrink."""

import fcntl
import shutil
import tempfile
from pathlib import Path

import pytest

from harness import kit
from harness.lake import Lake

LISTED = Path(__file__).with_name("compatibility-kit.tsv")
# Where the kit asks tables to lie; it takes these for granted.
ASKED = [Path("/tmp/ns"), Path("/tmp/newdb")]

pytestmark = pytest.mark.kit


def listed(test_class):
    """The tests of a class that are known not to pass."""
    rows = [line.split("\t") for line in LISTED.read_text().splitlines()[1:]]
    assert all(len(row) == 3 and row[2] for row in rows), "class, test and reason"
    return {test for listed_class, test, _ in rows if listed_class == test_class}


@pytest.fixture
def locations():
    """The folders that the kit asks for, allowed. Two runs on one machine take turns; what one leaves goes, unless it
    was there before."""
    with (Path(tempfile.gettempdir()) / "lakeward-compatibility-kit.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = [folder for folder in ASKED if not folder.exists()]
        yield ",".join(folder.as_uri() for folder in ASKED)
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("test_class", [*kit.CLASSES, *kit.NEWEST_CLASSES])
def test_the_kit_passes_but_for_what_is_listed(own_server, locations, tmp_path, test_class, capsys):
    kit.require()
    allowed = f"{locations},{kit.made_by_tests(tmp_path).as_uri()}"
    lake = Lake(own_server).create({"lakeward.allowed-locations": allowed})
    outcomes = kit.run(lake.server, test_class, tmp_path)
    failed = {test: outcome for test, outcome in outcomes.items() if outcome not in ("passed", "skipped")}
    passed, skipped = (list(outcomes.values()).count(outcome) for outcome in ("passed", "skipped"))
    with capsys.disabled():
        print(f"\n{test_class}: {passed} passed, {len(failed)} failed, {skipped} skipped")
    unlisted = {test: outcome for test, outcome in failed.items() if test not in listed(test_class)}
    assert not skipped, [test for test, outcome in outcomes.items() if outcome == "skipped"]
    assert not unlisted, "\n\n".join(f"{test}\t{outcome[:600]}" for test, outcome in unlisted.items())
    healed = listed(test_class) - set(failed)
    assert not healed, f"these pass now: take them out of {LISTED.name}: {sorted(healed)}"
