# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration, alone on a machine, twice on the same folder, and on a file of one's own."""

import pytest

from harness.query import run


def test_the_demo_shows_three_answers_and_two_refusals_and_finds_itself_again(tmp_path):
    folder = tmp_path / "demo"
    for _ in range(2):
        text = run("demo", "--exit", "--data-dir", folder)
        # Each user's answer says which rule applied and why; an ordinary client gets 406, a forged one 403.
        for expected in ["ann", "bob", "cleo", "rows: ", "mask-alphanum", "policy ", "tag ", " 406 ", " 403 "]:
            assert expected in text, f"{expected} is not in\n{text}"


@pytest.mark.slow
def test_the_demo_governs_a_file_of_ones_own(tmp_path):
    data = tmp_path / "people.csv"
    rows = "".join(f"{number},person-{number},{'Oslo' if number % 2 else 'Lima'},{number / 4}\n" for number in range(200))
    data.write_text("id,name,city,score\n" + rows)
    text = run("demo", "--exit", "--data-dir", tmp_path / "demo", "--data", data)
    assert "people" in text and "406" in text and "403" in text
