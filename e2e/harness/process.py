# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A process that says when it is ready, and ends as it should."""

import re
import signal
import subprocess
import threading
from pathlib import Path
from typing import ClassVar

START_SECONDS = 60
STOP_SECONDS = 60


TROUBLE = re.compile(r"\b(WARN|ERROR)\b|panicked at")
TROUBLE_LINES = 20


class Service:
    """One running process of the binary; its standard error goes to a file."""

    # Those that run, so that a test that fails can show what they wrote.
    running: ClassVar[set["Service"]] = set()

    def __init__(self, name: str, log: Path):
        self.name = name
        self.log = log
        self.process = None

    def launch(self, command, environment) -> str:
        """Starts it; its ready line."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, env=environment,
            )  # fmt: skip
        lines = []
        reader = threading.Thread(target=lambda: lines.append(self.process.stdout.readline()), daemon=True)
        reader.start()
        reader.join(START_SECONDS)
        if not lines or not lines[0]:
            self.kill()
            raise AssertionError(f"the {self.name} did not start:\n{self.log.read_text()}")
        Service.running.add(self)
        return lines[0].rstrip("\n")

    def trouble(self):
        """The last warnings and errors of its log, which say what an answer withholds."""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join([line for line in lines if TROUBLE.search(line)][-TROUBLE_LINES:])

    def stop(self):
        """Ends it as an operator does; it must end cleanly."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the {self.name} does not end on SIGTERM") from None
        self._forget()
        assert code == 0, f"the {self.name} ended with {code}:\n{self.log.read_text()[-4000:]}"

    def kill(self):
        """Ends it as a power failure does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self._forget()

    def _forget(self):
        Service.running.discard(self)
        self.process.stdout.close()
        self.process = None
