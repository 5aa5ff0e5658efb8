# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a page of the documentation: its `sh` blocks in one shell, from top to bottom, against the built binary.

A `text` block after them is what they print. In it `…` stands for anything, also for several lines.
"""

import os
import re
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .server import binary

# What colours a terminal; Maven writes it into files too.
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 300


@dataclass
class Block:
    """Commands, the line where they begin, and what they print; None where the page does not say."""

    line: int
    commands: str
    output: str | None = None


def blocks(text: str) -> list[Block]:
    found = []
    for fence in FENCE.finditer(text):
        kind, body = fence.groups()
        if kind == "sh":
            found.append(Block(text.count("\n", 0, fence.start()) + 1, body))
        elif kind == "text" and found:
            assert found[-1].output is None, f"two outputs of the block in line {found[-1].line}"
            found[-1].output = body
    return found


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def with_ports(text: str, ports: list[str]) -> str:
    """The page with free ports in place of the ones that it names, since those may be taken on this machine."""
    for port, free in zip(ports, free_ports(len(ports)), strict=True):
        text = re.sub(rf"\b{port}\b", str(free), text)
    return text


def matches(expected: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.rstrip("\n").split("…"))
    return re.fullmatch(pattern, printed.rstrip("\n"), re.DOTALL) is not None


def run(text: str, folder: Path) -> list[tuple[Block, str]]:
    """Runs every block; gives what each printed on both streams."""
    all_blocks = blocks(text)
    script = ["set -eu"]
    for number, block in enumerate(all_blocks):
        script.append(f"{{\n{block.commands}\n}} > '{folder}/.printed-{number}' 2>&1")
    work = folder / "work"
    work.mkdir()
    path = [str(Path(binary()).resolve().parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LAKEWARD_")}
    environment.pop("DATABASE_URL", None)
    # A group of its own, so that a server which the page started ends with it whatever happens.
    process = subprocess.Popen(
        ["bash", "-c", "\n".join(script)],
        cwd=work, env={**environment, "PATH": os.pathsep.join(path)}, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=SECONDS)
    finally:
        _end_group(process.pid)
    printed = []
    for number, block in enumerate(all_blocks):
        file = folder / f".printed-{number}"
        if not file.exists():
            raise AssertionError(f"the page ended before line {block.line}: {said}\n{printed[-1][1] if printed else ''}")
        printed.append((block, COLOUR.sub("", file.read_text())))
    assert process.returncode == 0, f"{said}\n{printed[-1][1]}"
    return printed


def _end_group(leader: int):
    try:
        os.killpg(leader, 15)
    except ProcessLookupError:
        pass
