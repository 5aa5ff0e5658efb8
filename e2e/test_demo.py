# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration, alone on a machine, twice on the same folder, and on a file of one's own."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness.process import Service
from harness.query import run
from harness.server import binary

SECONDS = 120
# Headings, remarks (those that are wrapped are further in) and empty lines; the rest is to be pasted.
REMARK = re.compile(r"\d\. | {3}(?: {2})?\S|\n")


def test_the_demo_shows_three_answers_and_two_refusals_and_finds_itself_again(tmp_path):
    folder = tmp_path / "demo"
    for _ in range(2):
        text = run("demo", "--exit", "--data-dir", folder)
        # Each user's answer says which rule applied and why; an ordinary client gets 406, a forged one 403.
        for expected in ["ann", "bob", "cleo", "rows: ", "mask-alphanum", "policy ", "tag ", " 406 ", " 403 "]:
            assert expected in text, f"{expected} is not in\n{text}"


def pasted(demo):
    """The lines to paste, those between two remarks together; whoever prints them goes on running."""
    too_long = threading.Timer(SECONDS, demo.process.kill)
    too_long.start()
    blocks, invited = [], False
    for line in demo.process.stdout:
        invited = invited or line.startswith("6. ")
        if not invited or REMARK.match(line):
            blocks.append("")
        else:
            blocks[-1] += line
        if invited and line == "PY\n" and "pyiceberg" in blocks[-1]:
            break
    too_long.cancel()
    return [block for block in blocks if block]


def test_the_lines_to_paste_do_what_is_said_of_them(tmp_path):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    demo, gateway = Service("demo", tmp_path / "demo.log"), Service("gateway", tmp_path / "gateway.log")

    def typed(block):
        done = subprocess.run(
            ["bash", "-c", "set -e\n" + block], env=environment, cwd=tmp_path,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    try:
        demo.launch([binary(), "demo", "--data-dir", tmp_path / "demo"], environment)
        with_certificate, service, at_gateway, governance, pyiceberg = pasted(demo)
        assert "c_custkey" in typed(with_certificate)
        # The usual ports may be taken on this machine.
        service = "exec " + service.replace("--insecure-plaintext", "--insecure-plaintext --port 0 --metrics 127.0.0.1:0")
        ready = gateway.launch(["bash", "-c", service], environment)
        port = re.search(r"flight=\S+:(\d+)", ready).group(1)
        answers = typed(at_gateway.replace(":8815", f":{port}"))
        assert "| c_custkey |" in answers and "pyarrow.Table" in answers
        answers = typed(governance)
        assert answers.count('"code":0') == 3 and "explanation" in answers
        assert "ALGERIA" in typed(pyiceberg)
        gateway.stop()
        demo.stop()
    finally:
        gateway.kill()
        demo.kill()


@pytest.mark.slow
def test_the_demo_governs_a_file_of_ones_own(tmp_path):
    data = tmp_path / "people.csv"
    rows = "".join(f"{number},person-{number},{'Oslo' if number % 2 else 'Lima'},{number / 4}\n" for number in range(200))
    data.write_text("id,name,city,score\n" + rows)
    text = run("demo", "--exit", "--data-dir", tmp_path / "demo", "--data", data)
    assert "people" in text and "406" in text and "403" in text
