# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""`lakeward` as a person runs it, with a configuration folder of its own; and its logins."""

import json
import os
import re
import subprocess
import threading

from .query import SECONDS, CommandFailed
from .server import binary

# What `lakeward login` is given, and the address that it then shows.
IN_BROWSER = ("--no-browser", r"log in at (http\S+)\n")
BY_CODE = ("--device", r"open (http\S+) and enter the code \S+\n")
BY_COMPLETE_CODE = ("--device", r"or open (http\S+)\n")


class Person:
    """One who runs commands."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
        for name in ("LAKEWARD_USER", "LAKEWARD_PASSWORD"):
            self.environment.pop(name, None)

    @property
    def logins(self):
        return self.folder / "lakeward/logins.json"

    @property
    def login(self):
        """The one that is kept."""
        (login,) = json.loads(self.logins.read_text())["logins"]
        return login

    def change_login(self, **members):
        text = json.dumps({"logins": [self.login | members]})
        self.logins.write_text(text)

    def run(self, *arguments):
        done = subprocess.run(
            [binary(), *map(str, arguments)],
            env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip
        if done.returncode != 0:
            raise CommandFailed(done.returncode, done.stderr)
        return done.stdout

    def log_in(self, server, way, visit, *options):
        """Runs `lakeward login`, visits the address that it shows; its output."""
        option, pattern = way
        process = subprocess.Popen(
            [binary(), "login", "--server", server.native, option, *options],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            told = ""
            while not (found := re.search(pattern, told)):
                line = process.stderr.readline()
                if not line:
                    raise CommandFailed(process.wait(), told)
                told += line
            visit(found[1])
            output, more = process.communicate()
        finally:
            timer.cancel()
            process.kill()
            process.wait()
        if process.returncode != 0:
            raise CommandFailed(process.returncode, told + more)
        return output
