# Copyright 2026 The Lakeward Authors
# SPDX-License-Identifier: Apache-2.0
"""A throw-away realm on loopback: the key distribution centre of MIT Kerberos. Nothing below /etc is used."""

import os
import secrets
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

REALM = "LAKE.TEST"
SERVICE = f"HTTP/localhost@{REALM}"
START_SECONDS = 60
PROGRAMS = ("krb5kdc", "kdb5_util", "kadmin.local", "kinit")
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])


def require():
    missing = [program for program in PROGRAMS if not shutil.which(program, path=PATH)]
    if missing:
        pytest.fail(f"Kerberos needs {', '.join(missing)} (Debian: krb5-kdc, krb5-admin-server, krb5-user)")
    version = subprocess.run(["curl", "-V"], capture_output=True, text=True, check=False).stdout
    if "SPNEGO" not in version:
        pytest.fail("these tests need a curl that knows SPNEGO")


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Realm:
    """A running one. `environment` is what programs of Kerberos find it by."""

    def __init__(self, folder: Path, name=REALM):
        self.folder, self.name, self.process = folder, name, None
        self.environment = {
            **os.environ,
            "PATH": PATH,
            "KRB5_CONFIG": str(folder / "krb5.conf"),
            "KRB5_KDC_PROFILE": str(folder / "kdc.conf"),
        }

    def start(self, *principals):
        """With these principals beside the service, each with a keytab of its own."""
        self.folder.mkdir(parents=True)
        port = _free_port()
        (self.folder / "krb5.conf").write_text(f"""
[libdefaults]
  default_realm = {self.name}
  dns_lookup_kdc = false
  dns_lookup_realm = false
  dns_canonicalize_hostname = false
  rdns = false
  qualify_shortname = ""
  udp_preference_limit = 1
  ticket_lifetime = 10m
[realms]
  {self.name} = {{
    kdc = 127.0.0.1:{port}
  }}
[domain_realm]
  localhost = {self.name}
""")
        (self.folder / "kdc.conf").write_text(f"""
[kdcdefaults]
  kdc_listen = 127.0.0.1:{port}
  kdc_tcp_listen = 127.0.0.1:{port}
[realms]
  {self.name} = {{
    database_name = {self.folder}/principal
    key_stash_file = {self.folder}/stash
    acl_file = {self.folder}/acl
  }}
""")
        (self.folder / "acl").touch()
        self._run("kdb5_util", "create", "-r", self.name, "-s", "-P", secrets.token_hex(16))
        for principal in ("HTTP/localhost", "HTTP/elsewhere", *principals):
            self._run("kadmin.local", "-r", self.name, "-q", f"addprinc -randkey {principal}")
            self.keep_key(principal, self.keytab(principal))
        with (self.folder / "kdc.log").open("ab") as log:
            self.process = subprocess.Popen(
                [shutil.which("krb5kdc", path=PATH), "-n", "-r", self.name],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        deadline = time.monotonic() + START_SECONDS
        while self._log_in(principals[0], self.folder / "first").returncode != 0:
            assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "kdc.log").read_text()
            time.sleep(0.1)
        return self

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def keytab(self, principal):
        return self.folder / f"{principal.replace('/', '_')}.keytab"

    def keep_key(self, principal, file):
        """Adds the present key of a principal to a file."""
        self._run("kadmin.local", "-r", self.name, "-q", f"ktadd -norandkey -k {file} {principal}")

    def change_key(self, principal):
        """A new key for a principal, which is added to its keytab."""
        self._run("kadmin.local", "-r", self.name, "-q", f"ktadd -k {self.keytab(principal)} {principal}")

    def tickets(self, principal, *options):
        """The environment of somebody who has logged in."""
        cache = self.folder / f"cache-{secrets.token_hex(4)}"
        logged_in = self._log_in(principal, cache, *options)
        assert logged_in.returncode == 0, logged_in
        return {**self.environment, "KRB5CCNAME": f"FILE:{cache}"}

    def _log_in(self, principal, cache, *options):
        command = ["kinit", *options, "-k", "-t", str(self.keytab(principal)), "-c", f"FILE:{cache}", f"{principal}@{self.name}"]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60, check=False)

    def _run(self, *command):
        done = subprocess.run(
            [shutil.which(command[0], path=PATH), *command[1:]],
            env=self.environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done
